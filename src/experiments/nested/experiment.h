// One checkpoint for all budgets over heads and FFN, against everything it must beat: one seed, all
// arms. No torch in this header.
//
// With A dense steps and N steps more:
//   dense            A + N steps, everything alive
//   dense-start      A steps: where all the arms below begin
//   nested           A dense, N nested (train/stages/nested.h), every layer at the same share
//   nested-global    the same, units ranked over all layers by importance per MAC
//   nested-depth     the same, small budgets drop whole layers
//   no-distillation  nested without a teacher
//   heads-only       A dense, then P1's head gates: 3/4 N soft, 1/4 N hard
//   specialists      A dense, then N steps divided among the budgets, a model for each
//   post-hoc         the dense arm cut by importance, not trained further
//   fasttext         fastText on the same rows (experiments/fasttext_arm.h)
#pragma once

#include <filesystem>
#include <string>

#include "base/progress.h"
#include "experiments/experiment.h"
#include "experiments/record/record.h"

namespace headroom::experiments::nested {

// The experiment of a named task: agnews, imdb, dbpedia, banking77. `quick` shrinks it as in the
// budgeted experiment.
Experiment describe(const std::string& task, bool quick);

// Runs what the record in `file` does not hold yet, rewriting it after every arm; returns it.
Record run_seed(const Experiment& experiment, uint64_t seed, const std::filesystem::path& file,
                ProgressSink& progress);

}  // namespace headroom::experiments::nested
