// Runs stages one after another: steps, schedule, validation, early stopping, saving, resuming.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/progress.h"
#include "train/loop/adamw.h"
#include "train/loop/parameters.h"
#include "train/loop/schedule.h"
#include "train/parallel/ranks.h"
#include "train/rows/batches.h"
#include "train/stages/stage.h"

namespace headroom {
inline namespace train {

struct StagePlan {
  std::unique_ptr<Stage> stage;
  Schedule schedule;           // schedule.steps is the most steps the stage may take
  int64_t validate_every = 0;  // steps; 0: only at the end
  int64_t patience = 0;        // stop after this many validations without improvement; 0: never
  double seconds = 0;          // > 0: the stage and its schedule last this long, whatever the steps
  double most_seconds = 0;     // > 0: the stage and its schedule end then, validations included, if
                               // its steps are not over before
  double stop_at = 2.0;        // stop as soon as the validation score reaches this
  bool keep_best = true;       // end with the weights that validated best
};

struct TrainerSettings {
  uint64_t seed = 1;
  bool bf16 = false;  // autocast on a GPU
  AdamWSettings optimiser;
  ParameterSettings parameters;
  int64_t log_every = 20;                 // steps between lines of the training log
  std::filesystem::path state_directory;  // empty: nothing is saved, nothing can be resumed
  double save_seconds = 60;               // between saved states
  bool resume = false;                    // go on from state_directory if a state is there
  Json fingerprint;                       // everything that must not change between runs
  int64_t accumulate = 1;                 // parts that a rank's share of a batch is computed in
  std::shared_ptr<Ranks> ranks = std::make_shared<Ranks>();  // who else trains this model
};

struct StageResult {
  std::string name;
  int64_t steps = 0;
  double best_score = 0;
  int64_t best_step = 0;
};

struct TrainingResult {
  std::vector<StageResult> stages;
  std::string log;     // JSON lines
  int64_t steps = 0;   // over all stages
  double samples = 0;  // seen by this process
  double seconds = 0;  // spent stepping by this process
};

// Trains `model` in place. On an interrupt the state is saved and ErrorCode::interrupted thrown.
// Randomness (batches, dropout, budgets) is a function of seed, stage and step: a resumed run on
// one CPU thread ends with the same bits as an uninterrupted one. With several ranks each computes
// its piece of every batch, all make the same step, and the first alone validates and saves; rows
// and budgets do not depend on how many there are, dropout does.
TrainingResult run_stages(ElasticModel& model, std::vector<StagePlan>& plans, BatchSource& source,
                          const TrainerSettings& settings, ProgressSink& progress);

}  // namespace train
}  // namespace headroom
