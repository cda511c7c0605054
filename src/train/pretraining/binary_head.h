// A yes-or-no question about rows of the encoder's output, trained beside the encoder and left
// behind.
#pragma once

#include <functional>
#include <string>

#include "base/random.h"
#include "model/weights.h"

namespace headroom {
inline namespace train {

struct BinaryHead {
  Linear dense;   // (D, D)
  Linear output;  // (1, D): the logit of "yes"
};

// Begins by saying yes to `share` of all rows.
BinaryHead fresh_binary_head(int64_t width, double share, Random& random, torch::Device device);

// Calls `visit` for its tensors, as NAME.dense.weight and so on.
void for_each_tensor(BinaryHead& head, const std::string& name,
                     const std::function<void(const std::string&, torch::Tensor&)>& visit);

// In fp32: (..., D) to (...).
torch::Tensor binary_logits(const BinaryHead& head, const torch::Tensor& rows);

}  // namespace train
}  // namespace headroom
