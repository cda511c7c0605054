// A padded batch on a device: what a forward pass reads.
#pragma once

#include "model/torch.h"

namespace headroom {

struct Batch {
  torch::Tensor tokens;  // (B, T) int64, padded with the pad id
  torch::Tensor types;   // (B, T) int64, or undefined: all first text
  torch::Tensor
      key_bias;  // (B, 1, 1, T) float: 0 for tokens, -inf for padding; undefined: no padding
  torch::Tensor labels;  // (B) int64, or undefined when only predicting

  int64_t size() const { return tokens.size(0); }
  int64_t length() const { return tokens.size(1); }
};

}  // namespace headroom
