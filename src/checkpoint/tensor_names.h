// Which tensors a model file holds: Hugging Face's names for BertForSequenceClassification.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "budget/shape.h"

namespace headroom {

struct TensorName {
  std::string name;
  std::vector<int64_t> shape;
};

// Every tensor of a dense model of this shape, in a fixed order. Linear weights are (out, in).
std::vector<TensorName> tensor_names(const ModelShape& shape);

}  // namespace headroom
