// One checkpoint for all budgets over heads and FFN, against everything it must beat: one seed, all
// arms. No torch in this header.
//
// With A dense steps and N steps more:
//   dense            A + N steps, everything alive
//   dense-start      A steps: where all the arms below begin
//   nested           A dense, N nested (train/nested_stage.h), every layer at the same share
//   nested-global    the same, units ranked over all layers by importance per MAC
//   nested-depth     the same, small budgets drop whole layers
//   no-distillation  nested without a teacher
//   heads-only       A dense, then P1's head gates: 3/4 N soft, 1/4 N hard
//   specialists      A dense, then N steps divided among the budgets, a model for each
//   post-hoc         the dense arm cut by importance, not trained further
//   fasttext         fastText on the same rows (train/fasttext_arm.h)
#pragma once

#include <filesystem>
#include <string>

#include "base/json.h"
#include "base/progress.h"
#include "experiments/experiment.h"

namespace headroom {

// The experiment of a named task: agnews, imdb, dbpedia, banking77. `quick` shrinks it as in the
// budgeted experiment.
Experiment nested_experiment(const std::string& task, bool quick);

// Runs what `file` (JSON) does not hold yet, rewriting it after every arm; returns its content.
Json run_nested_seed(const Experiment& experiment, uint64_t seed, const std::filesystem::path& file,
                     ProgressSink& progress);

}  // namespace headroom
