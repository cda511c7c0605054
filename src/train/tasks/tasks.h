// The training side of every task: its defaults, its rows, and what its models are scored by. A
// task is one file of this folder and a line in tasks.cpp.
#pragma once

#include <filesystem>
#include <string>

#include "budget/score.h"
#include "train/rows/task_data.h"
#include "train/stages/elastic_model.h"
#include "train/train_model.h"

namespace headroom {
inline namespace train {

// What a finished model is scored on.
struct EvaluationData {
  const ModelConfig& config;
  const Tokenizer& tokenizer;
  std::string data;  // SPEC
  std::filesystem::path data_dir;
};

struct TaskDefinition {
  // What differs from the defaults of the structs.
  void (*set_defaults)(TrainRequest& request);
  // `fixed`, of a checkpoint to start from, replaces the vocabulary that would be built.
  TaskData (*load)(const TaskRequest& request, const TextCoding* fixed);
  EncodedDataset (*load_scored)(const EvaluationData& rows);
  // Puts in what the task is measured by, where that is not accuracy; null: it is.
  void (*set_measure)(BudgetScore& score, const ElasticModel& model, const EncodedDataset& rows,
                      const Tokenizer* tokenizer);
};

// Of a task that `train` knows.
const TaskDefinition& definition(Task task);

TaskData load_task(const TaskRequest& request, const TextCoding* fixed = nullptr);

extern const TaskDefinition text_task;  // classify and pair
extern const TaskDefinition synthetic_task;
extern const TaskDefinition image_task;
extern const TaskDefinition language_task;
extern const TaskDefinition translation_task;
extern const TaskDefinition tag_task;
extern const TaskDefinition target_task;  // multilabel and regress
extern const TaskDefinition rerank_task;
extern const TaskDefinition embed_task;

// For the loaders:
void require_data(const TaskRequest& request, std::string_view forms);  // says what --data takes
void require_scored_data(const EvaluationData& rows);

}  // namespace train
}  // namespace headroom
