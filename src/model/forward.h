// The forward pass of a BERT classifier: embeddings, post-norm layers, [CLS] pooler, classifier.
#pragma once

#include "model/batch.h"
#include "model/weights.h"

namespace headroom {

struct ForwardOptions {
  // (L, H) factors on each head's output before the output projection (2605.05697: the gate scales
  // the head's context). Undefined: every head as it is. A hard selection is a tensor of 0 and 1.
  torch::Tensor gates;
  double dropout = 0.0;  // > 0 only in training
  double layer_norm_eps = 1e-12;
};

// Logits, (B, labels).
torch::Tensor forward(const ModelWeights& weights, const Batch& batch,
                      const ForwardOptions& options = {});

// One layer's attention on x (B, T, D), output projection included. `gate` is (H) or undefined.
torch::Tensor attention(const AttentionWeights& weights, const torch::Tensor& x,
                        const torch::Tensor& key_bias, const torch::Tensor& gate, double dropout);

}  // namespace headroom
