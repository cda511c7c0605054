#include "train/evaluate_checkpoint.h"

#include "data/eval_rows.h"
#include "train/checkpoint_model.h"
#include "train/runtime.h"
#include "train/score_budgets.h"

namespace headroom {
namespace {

EncodedDataset rows_for(const EvalRequest& request, const CheckpointModel& checkpoint) {
  const auto max_tokens = static_cast<int>(checkpoint.config.shape.positions);
  if (checkpoint.config.task == Task::synthetic) {
    return synthetic_eval_rows(request.data, max_tokens);
  }
  return eval_rows(request.data, request.data_dir, checkpoint.config.labels, *checkpoint.tokenizer,
                   max_tokens);
}

}  // namespace

std::vector<BudgetScore> evaluate_checkpoint(const EvalRequest& request) {
  use_threads(request.threads);
  const CheckpointModel checkpoint = open_classifier(request.model, open_device(request.device));
  return score_budgets(checkpoint.model, checkpoint.config, rows_for(request, checkpoint),
                       request.budgets);
}

}  // namespace headroom
