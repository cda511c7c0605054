// The `elastic` verb as a function: a dense model becomes a nested one by following its own answers
// to texts that nobody labelled. No torch in this header.
#pragma once

#include "train/train_model.h"

namespace headroom {
inline namespace train {

// Different texts without which nothing can be learned, nor measured on those held back.
inline constexpr int64_t least_texts = 100;

// What was chosen for it; length and rate are left open until the texts and the model are known.
TrainRequest default_elastic_request();

// `request.init` is the dense model, which keeps its task, labels, tokenizer and thresholds;
// `request.task.data` the texts (data/unlabelled.h). Heads and neurons are ranked by how much they
// move the model's own answers, then the nested stage (train/stages/nested.h) follows these alone.
// Scores tell how alike answers are to those of the dense model, on texts held back. Throws
// ErrorCode::usage for a model that has budgets already, ErrorCode::bad_data for too few texts.
TrainReport make_elastic(TrainRequest request, ProgressSink& progress);

}  // namespace train
}  // namespace headroom
