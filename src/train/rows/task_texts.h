// The rows of a task as texts, split: what every method, ours or a peer's, trains and is scored on.
#pragma once

#include "data/dataset.h"
#include "train/rows/task_request.h"

namespace headroom {
inline namespace train {

struct TaskTexts {
  TextDataset train;
  TextDataset validation;
  std::string validation_name;  // its SPEC; empty: set aside of the training rows
  TextDataset test;             // no rows when there is no eval_data
};

// For every task but the synthetic one, whose rows are never texts.
TaskTexts load_task_texts(const TaskRequest& request);

}  // namespace train
}  // namespace headroom
