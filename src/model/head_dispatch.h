// Attention that computes only the heads that each input chose, their projections included: a batch
// is taken apart by head, never by input.
#pragma once

#include "model/weights.h"

namespace headroom {

// attention() of model/forward.h without dropout, where `chosen` (B, H) is 0 or 1. For head h the
// inputs that chose it go through its columns of the projections and its rows of the output as one
// smaller batch; a batch of one input instead runs its heads side by side, cut out of the weights.
torch::Tensor attention_of_chosen(const AttentionWeights& weights, const torch::Tensor& x,
                                  const torch::Tensor& key_bias, const torch::Tensor& chosen,
                                  const torch::Tensor& relative = {});

}  // namespace headroom
