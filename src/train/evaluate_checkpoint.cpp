#include "train/evaluate_checkpoint.h"

#include <fmt/format.h>

#include "data/load.h"
#include "train/checkpoint_model.h"
#include "train/runtime.h"
#include "train/score_budgets.h"
#include "train/task_data.h"

namespace headroom {
namespace {

EncodedDataset rows_for(const EvalRequest& request, const CheckpointModel& checkpoint) {
  const auto max_tokens = static_cast<int>(checkpoint.config.shape.positions);
  if (checkpoint.config.task == Task::synthetic) {
    TaskRequest synthetic;
    synthetic.task = Task::synthetic;
    synthetic.data = request.data;
    const TaskData data = load_task(synthetic);
    if (data.max_tokens > max_tokens) {
      throw Error(ErrorCode::usage, "eval",
                  fmt::format("{} has rows of {} tokens, this model reads {}: give --data "
                              "'synthetic?tokens={}&decoys=N'",
                              data.name, data.max_tokens, max_tokens, max_tokens - 2));
    }
    return data.test;
  }
  if (request.data.empty())
    throw Error(ErrorCode::usage, "eval", "--data is required for this model");
  const TextDataset rows =
      load_text_dataset(request.data, request.data_dir, &checkpoint.config.labels);
  return encode_dataset(rows, *checkpoint.tokenizer, max_tokens);
}

}  // namespace

std::vector<BudgetScore> evaluate_checkpoint(const EvalRequest& request) {
  use_threads(request.threads);
  const CheckpointModel checkpoint = open_classifier(request.model, open_device(request.device));
  return score_budgets(checkpoint.model, checkpoint.config, rows_for(request, checkpoint),
                       request.budgets);
}

}  // namespace headroom
