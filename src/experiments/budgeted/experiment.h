// The published comparison of Budgeted Attention Allocation (arXiv 2605.05697): one seed, all arms,
// each with the same number of optimiser steps. No torch in this header.
//
// With A dense steps, B soft steps and C hard steps:
//   dense            A + B + C steps, every head
//   budgeted         A dense (warm start), B soft, C hard; one checkpoint for all budgets
//   budgeted-free    the same with one slope per head, as published
//   post-hoc         the dense arm pruned without training, heads ranked on validation
//   recovery         dense for A + B, pruned, then C steps at that budget: a specialist each
//   static           A dense, B soft and C hard at one fixed budget: a specialist each
//   random           the dense arm pruned in random order
//   random-adapted   A dense, B + C steps of hard masks in a random order
//   scratch          no warm start: A + B soft, C hard
#pragma once

#include <filesystem>
#include <string>

#include "base/progress.h"
#include "experiments/experiment.h"
#include "experiments/record/record.h"

namespace headroom::experiments::budgeted {

// The experiment of a named task: synthetic, synthetic-hard, agnews, dbpedia, imdb. `quick` shrinks
// rows, sizes and epochs so that every arm runs in minutes on two cores; its numbers mean nothing.
Experiment describe(const std::string& task, bool quick);

// Runs what the record in `file` does not hold yet, rewriting it after every arm; returns it.
Record run_seed(const Experiment& experiment, uint64_t seed, const std::filesystem::path& file,
                ProgressSink& progress);

}  // namespace headroom::experiments::budgeted
