// Which tensors a model file holds: Hugging Face's names for BertForSequenceClassification
// and BertForMaskedLM.
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

enum class OutputHead {
  classifier,  // [CLS] pooler and classifier
  masked_lm,   // predicts hidden tokens; its output matrix is the word table, stored once
};

// Every tensor of a dense model of this shape, in a fixed order. Linear weights are (out, in).
std::vector<TensorName> tensor_names(const ModelShape& shape,
                                     OutputHead head = OutputHead::classifier);

}  // namespace headroom
