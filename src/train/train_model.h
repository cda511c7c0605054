// The `train` verb as a function: data in, checkpoint directory out. No torch in this header.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/progress.h"
#include "budget/ladder/policy.h"
#include "budget/score.h"
#include "budget/shape.h"
#include "checkpoint/config.h"
#include "train/parallel/world.h"
#include "train/recipe.h"
#include "train/recipe_search.h"
#include "train/rows/task_request.h"

namespace headroom {
inline namespace train {

struct TrainRequest {
  TaskRequest task;
  Method method = Method::budgeted;
  double static_budget = 0.5;  // --method static: the one budget
  ModelShape shape;            // vocabulary, positions and labels follow from the data
  Recipe recipe;
  double minutes = 0;          // > 0: find a recipe and train with it within them
  SearchSpace search_space;    // of the recipe: what the search may change
  std::filesystem::path init;  // checkpoint to start from; empty: fresh weights
  std::filesystem::path out;
  uint64_t seed = 1;
  int threads = 0;
  std::string device = "cpu";
  bool resume = false;   // go on with the unfinished run beside `out`
  bool restart = false;  // discard it
  double save_seconds = 60;
  ParallelSettings parallel;
  bool tune = true;           // nested models of one label a text: fit a policy (fit_ladder.h)
  bool bf16_weights = false;  // store weights as bf16: half the bytes, three digits
  std::vector<double> budgets = {0.25, 0.5, 0.75, 1.0};  // shown at the end
};

// Defaults that suit the task; gentler ones when training starts from a checkpoint (`fine_tune`).
TrainRequest default_request(Task task, bool fine_tune);

struct TrainReport {
  // On eval_data, where there is none on validation rows: those held back, if any are.
  std::vector<BudgetScore> scores;
  std::string scored_on;
  std::optional<Policy> policy;
  int64_t steps = 0;
  double samples_per_second = 0;
  int64_t parameters = 0;
};

inline constexpr const char* minutes_need_one_process =
    "--minutes is for one process: several would time their trials differently; find the recipe "
    "with one, then give it with --lr, --epochs, --batch and --dropout";

// Writes the checkpoint in one step at the end. Training state lives in OUT.training until then.
// Of several ranks the first writes and reports; the others return an empty report.
TrainReport train_model(TrainRequest request, ProgressSink& progress);

}  // namespace train
}  // namespace headroom
