// The kinds of attention of arXiv 2403.01643 on one task: one seed, all arms, each with the same
// steps, rates and batches. No torch in this header.
//   standard          Q, K, V, O
//   optimized         Q, K, O
//   efficient         Q, O
//   super             Q, O and a mixing matrix
//   standard-matched  Standard with half the heads: as many attention parameters as Efficient
//   standard-mixing   Standard with Super's mixing matrix: what the matrix does by itself
//   super-xavier      Super whose mixing matrix starts as Xavier draws it, not near the identity
#pragma once

#include <filesystem>
#include <string>

#include "base/progress.h"
#include "experiments/experiment.h"
#include "experiments/record/record.h"

namespace headroom::experiments::variants {

// imdb32 (the published recipe), imdb-small, imdb-medium and imdb-large (a series of sizes),
// agnews, agnews-budgets (kind_budgets.h instead of the arms above), sick, mnist, cifar10,
// shakespeare, multi30k. `quick` shrinks rows, sizes and epochs; its numbers mean nothing.
Experiment describe(const std::string& task, bool quick);

// Runs what the record in `file` does not hold yet, rewriting it after every arm; returns it.
Record run_seed(const Experiment& experiment, uint64_t seed, const std::filesystem::path& file,
                ProgressSink& progress);

}  // namespace headroom::experiments::variants
