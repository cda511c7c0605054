#include "train/evaluate/checkpoint.h"

#include <optional>

#include "data/eval_rows.h"
#include "train/checkpoint_model.h"
#include "train/evaluate/score_budgets.h"
#include "train/loop/autocast.h"
#include "train/rows/task_forms.h"
#include "train/runtime.h"

namespace headroom::inline train {
namespace {

EncodedDataset rows_for(const EvalRequest& request, const CheckpointModel& checkpoint) {
  const auto max_tokens = static_cast<int>(checkpoint.config.shape.positions);
  if (checkpoint.config.task == Task::synthetic) {
    return synthetic_eval_rows(request.data, max_tokens);
  }
  if (!classifies_text(checkpoint.config.task)) {
    return form_rows(checkpoint.config, *checkpoint.tokenizer, request.data, request.data_dir);
  }
  return eval_rows(request.data, request.data_dir, checkpoint.config.labels, *checkpoint.tokenizer,
                   max_tokens);
}

}  // namespace

std::vector<BudgetScore> evaluate_checkpoint(const EvalRequest& request) {
  use_threads(request.threads);
  const CheckpointModel checkpoint = open_finished(request.model, open_device(request.device));
  std::optional<Bf16Autocast> autocast;
  if (request.bf16) autocast.emplace(checkpoint.model.device());
  return score_budgets(checkpoint.model, checkpoint.config, rows_for(request, checkpoint),
                       request.budgets, checkpoint.tokenizer.get());
}

}  // namespace headroom::inline train
