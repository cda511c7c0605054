#include "train/evaluate/checkpoint.h"

#include <optional>

#include "checkpoint/policy_file.h"
#include "train/checkpoint_model.h"
#include "train/evaluate/score_budgets.h"
#include "train/loop/autocast.h"
#include "train/runtime.h"
#include "train/tasks/tasks.h"

namespace headroom {
inline namespace train {

std::vector<BudgetScore> evaluate_checkpoint(const EvalRequest& request) {
  use_threads(request.threads);
  const CheckpointModel checkpoint = open_finished(request.model, open_device(request.device));
  std::optional<Bf16Autocast> autocast;
  if (request.bf16) autocast.emplace(checkpoint.model.device());
  const Tokenizer& tokenizer = *checkpoint.tokenizer;
  const EncodedDataset rows =
      definition(checkpoint.config.task)
          .load_scored({checkpoint.config, tokenizer, request.data, request.data_dir});
  return score_budgets(checkpoint.model, checkpoint.config, rows, request.budgets, &tokenizer,
                       read_policy(request.model, checkpoint.config));
}

}  // namespace train
}  // namespace headroom
