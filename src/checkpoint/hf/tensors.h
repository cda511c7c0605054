// From the names that a family's tensors have had to the one set that our checkpoints use.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/config.h"
#include "checkpoint/hf/weights.h"
#include "checkpoint/tensors/tensor.h"

namespace headroom {

struct HfTensors {
  std::vector<TensorView> tensors;  // our names; the bytes belong to the HfWeights
  bool pooler = true;               // whether the [CLS] pooler is among them
  std::vector<std::string> notes;   // what was there and is not kept
};

// Every tensor that `config` implies (task encoder: with the pooler if there is one; not a vector's
// dense layer, which has a file of its own), as it is stored: F32, F16 or BF16. Throws
// ErrorCode::bad_model when one is missing, there under two names, of another shape or type, or
// holds NaN or infinity, and when a tensor is there that the family does not have: then it is not
// the network we compute.
HfTensors map_hf_tensors(const HfWeights& weights, const ModelConfig& config);

}  // namespace headroom
