// How alike the answers of two models on the same rows are: what a smaller budget keeps of the full
// one, where nobody labelled the rows.
#pragma once

#include "data/measures.h"

namespace headroom {

// `outputs` beside `full`, both as measures.h says; of one label a row the probabilities of all.
//   agreement         share of texts with the same label or labels, of tokens with the same tag
//   rank_correlation  of scores (Spearman)
//   cosine            of vectors, the mean
// The loss is the mean squared difference of outputs.
Measured measure_agreement(Task task, const EncodedDataset& rows, const RowOutputs& outputs,
                           const RowOutputs& full, const OutputNames& names);

}  // namespace headroom
