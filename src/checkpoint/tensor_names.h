// Which tensors a model file holds: Hugging Face's names for BertForSequenceClassification,
// BertForMaskedLM and BertModel, attention.self.mixing.weight, (longest input)^2, for Super
// Attention, attention.controller.{hidden,budget,relevance} for models that choose heads per input,
// and names in their manner for images, language models and translation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "budget/selection.h"
#include "budget/shape.h"

namespace headroom {

struct TensorName {
  std::string name;
  std::vector<int64_t> shape;
};

enum class OutputHead {
  classifier,  // [CLS] pooler and classifier
  masked_lm,   // predicts hidden tokens; its output matrix is the word table, stored once
  pooler,      // a bare encoder with its [CLS] pooler
  none,        // a bare encoder
  language,    // predicts the next token; its matrix is the word table, stored once
};

// Every tensor of a model of this shape, in a fixed order. Linear weights are (out, in).
std::vector<TensorName> tensor_names(const ModelShape& shape,
                                     OutputHead head = OutputHead::classifier);

// Every tensor of a compact model, which holds only the units in `stored`. A layer without heads or
// neurons keeps its tensors, with no rows or no columns.
std::vector<TensorName> tensor_names(const ModelShape& shape, OutputHead head,
                                     const Selection& stored);

}  // namespace headroom
