// What a model's outputs on stored rows are worth: the same numbers whichever engine computed them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/measure/named_measure.h"
#include "base/task.h"
#include "data/encoded.h"

namespace headroom {

struct Measured {
  double loss = 0;
  int64_t examples = 0;              // rows; of a tagger sentences
  std::vector<NamedMeasure> values;  // the first is what the task is judged by
};

// What a row's outputs are, one list a row:
//   tag         probabilities of the labels, token by token
//   multilabel  a probability per label
//   regress     the number
//   rerank      a probability
//   embed       the vectors of the row's texts, end to end
using RowOutputs = std::vector<std::vector<float>>;

struct OutputNames {
  std::span<const std::string> labels = {};
  std::span<const double> thresholds = {};  // multilabel; none: the best ones on these rows
};

// For tasks other than one label a row.
Measured measure_outputs(Task task, const EncodedDataset& rows, const RowOutputs& outputs,
                         const OutputNames& names);

// Adds how alike the order of rows is to that at the full budget (Spearman), to tasks of one score.
void add_agreement(Task task, const RowOutputs& outputs, const RowOutputs& full,
                   std::vector<NamedMeasure>& measures);

// Lengths of all texts, those of vectors' second and third ones included: what costs are means of.
std::vector<int64_t> text_lengths(const EncodedDataset& rows);

}  // namespace headroom
