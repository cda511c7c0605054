// The parts that layers are made of, for whole sequences and for generation token by token.
#pragma once

#include "model/weights.h"

namespace headroom {

inline torch::Tensor linear(const torch::Tensor& x, const Linear& weights) {
  return torch::linear(x, weights.weight, weights.bias);
}

inline torch::Tensor drop(const torch::Tensor& x, double probability) {
  return probability > 0 ? torch::dropout(x, probability, /*train=*/true) : x;
}

inline torch::Tensor normalise(const torch::Tensor& x, const Norm& norm, double eps) {
  return torch::layer_norm(x, {x.size(-1)}, norm.weight, norm.bias, eps);
}

// Words at `first`, `first` + 1, ... with their positions, before the norm: (B, T, D). Throws
// ErrorCode::bad_data when they do not fit into the position table.
torch::Tensor place_words(const ModelWeights& weights, const torch::Tensor& tokens, int64_t first);

torch::Tensor activate(const torch::Tensor& x, ActivationKind kind);

// `gate` is (F), (B, F) or undefined.
torch::Tensor ffn(const LayerWeights& layer, const torch::Tensor& x, const torch::Tensor& gate);

// Logits over the vocabulary of OutputHead::language: (..., D) to (..., V).
torch::Tensor language_logits(const ModelWeights& weights, const torch::Tensor& x);

}  // namespace headroom
