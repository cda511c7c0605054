// The forward pass of a model (embeddings, post-norm layers) and of its output heads. Attention
// itself is in model/attention.h.
#pragma once

#include <functional>

#include "model/batch.h"
#include "model/weights.h"

namespace headroom {

// Gives layer `i` its head factors, (B, H), from its input x (B, T, D) and the batch's key_bias.
using HeadChooser = std::function<torch::Tensor(size_t layer, const torch::Tensor& x,
                                                const torch::Tensor& key_bias)>;

struct ForwardOptions {
  // (L, H) factors on each head's output before the output projection (2605.05697: the gate scales
  // the head's context). Undefined: every head as it is. A hard selection is a tensor of 0 and 1.
  // (L, B, H) gives every example its own factors.
  torch::Tensor gates;
  double dropout = 0.0;  // > 0 only in training
  double layer_norm_eps = 1e-12;
  torch::Tensor ffn_gates = {};  // the same for FFN neurons: (L, F) or (L, B, F)
  bool mean_pooling = false;     // classify the mean over tokens instead of the [CLS] row
  HeadChooser choose = {};       // for models that choose heads per input, in the place of `gates`
  bool skip = false;  // compute chosen heads only (model/head_dispatch.h): all factors are 0 or 1
  torch::Tensor added = {};  // (B, T, D), to the embeddings: what a smaller pass knows
};

// The last layer's output, (B, T, D).
torch::Tensor encode(const ModelWeights& weights, const Batch& batch,
                     const ForwardOptions& options = {});

// What the model predicts for the batch, a row for each of its labels: class logits from the [CLS]
// row, (B, labels); logits over the vocabulary or over tags for every position, (B * T, V); or
// vectors as they are before normalisation, (B, width).
torch::Tensor forward(const ModelWeights& weights, const Batch& batch,
                      const ForwardOptions& options = {});

// Logits over the vocabulary for rows of the encoder's output: (N, D) to (N, V).
torch::Tensor masked_logits(const ModelWeights& weights, const torch::Tensor& rows,
                            double layer_norm_eps);

}  // namespace headroom
