// Attention of every kind (2403.01643): over the input itself, causal or not, and over the output
// of an encoder.
#pragma once

#include "model/weights.h"

namespace headroom {

// One layer's attention on x (B, T, D), output projection included. `gate` is (H), (B, H) or
// undefined. Causal attention needs no `key_bias`: what pads the end is seen by nothing before it.
// `relative` is the normalised table of disentangled attention, (rows, D).
torch::Tensor attention(const AttentionWeights& weights, const torch::Tensor& x,
                        const torch::Tensor& key_bias, const torch::Tensor& gate, double dropout,
                        const torch::Tensor& relative = {});

// The same with keys and values from `memory` (B, S, D), which `key_bias` (B, 1, 1, S) belongs to.
// The kinds without key or value projection read columns of `memory` in their place, so it must be
// as wide as x: the argument of 2403.01643 ends where a projection has to change the width. Throws
// ErrorCode::usage then.
torch::Tensor cross_attention(const AttentionWeights& weights, const torch::Tensor& x,
                              const torch::Tensor& memory, const torch::Tensor& key_bias,
                              const torch::Tensor& gate, double dropout);

// What a causal layer keeps of the tokens so far. Standard Attention has keys and values, Optimized
// keys and inputs, Efficient inputs alone (half the memory), Super inputs and mixed values.
struct AttentionCache {
  torch::Tensor keys;    // (B, T, E), where there is a key projection
  torch::Tensor values;  // (B, T, E), where values are projected or mixed
  torch::Tensor inputs;  // (B, T, E), the columns that heads read, where they read any

  int64_t length() const;
  int64_t tensors() const;  // how many of the three are kept
};

// Attention of n new tokens x (B, n, D) that follow those in `cache`, which takes them up. The
// values of a new token are one more row of the mixing matrix times all inputs so far.
torch::Tensor attend_next(const AttentionWeights& weights, const torch::Tensor& x,
                          AttentionCache& cache);

}  // namespace headroom
