// Everything a training run reads, tokenised and split: text in, token ids and labels out.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/config.h"
#include "data/encoded.h"
#include "data/synthetic.h"
#include "text/vocabulary.h"
#include "train/batches.h"
#include "train/task_request.h"

namespace headroom {

struct TaskData {
  Task task = Task::classify;
  std::string name;
  SyntheticTask synthetic;  // when task is synthetic: rows are drawn fresh, `train` is empty
  std::vector<std::string> labels;
  std::optional<Vocabulary> vocabulary;
  EncodedDataset train;
  EncodedDataset validation;
  EncodedDataset test;  // empty when there is no eval_data
  int max_tokens = 0;
};

// `fixed` (of a checkpoint to start from) replaces the vocabulary that would be built.
TaskData load_task(const TaskRequest& request, const Vocabulary* fixed = nullptr);

// Rows as training reads them.
std::unique_ptr<BatchSource> training_source(const TaskData& data, int batch_size, uint64_t seed,
                                             torch::Device device);

}  // namespace headroom
