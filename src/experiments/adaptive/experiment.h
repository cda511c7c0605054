// What BudgetFormer (arXiv 2604.22583) claims for heads chosen per input, against the controls that
// could explain it: one seed, all arms, each of N optimiser steps. No torch in this header.
//
//   dense            every head; the better of two learning rates on validation rows
//   adaptive         heads chosen per input, the same two rates, no dense stage
//   adaptive-warm    N/2 dense steps, then N/2 adaptive ones that follow the dense model
//   static           N/2 dense, then only the heads that validation can least spare, N/2 steps; as
//                    many as the adaptive arm used on average
//   fixed-share      retrained without f_o: as many heads for every input, as above; still which
//   fixed-all        retrained without f_o at s = 1
//   random-heads     retrained without g_d: heads at random, how many is still chosen
//   constant-tau     adaptive at tau = 1 throughout and without a weight on entropy
//   share-weight-X   adaptive with another weight on the share of heads
//   heads-1, -2, -4  dense with so many heads at the same width          (fresh weights only)
//   head-dropout     dense, with whole heads dropped in training
//   small            adaptive, half the layers and half the width        (fresh weights only)
//   rows-25, rows-50 adaptive on a part of the training rows, as many steps
//
// Without f_o or g_d at test time, too: the adaptive arm's `overrides`. Arms without a grid of
// their own take the rate that dense, or adaptive, chose.
#pragma once

#include <filesystem>
#include <string>

#include "base/progress.h"
#include "experiments/experiment.h"
#include "experiments/record/record.h"

namespace headroom::experiments::adaptive {

// The experiment of a named task: agnews, imdb, dbpedia, sick, snli, yelp. `quick` shrinks it as in
// the budgeted experiment.
Experiment describe(const std::string& task, bool quick);

// Runs what the record in `file` does not hold yet, rewriting it after every arm; returns it. The
// adaptive models of the first seed are kept beside it as checkpoints, for engines to be timed on.
Record run_seed(const Experiment& experiment, uint64_t seed, const std::filesystem::path& file,
                ProgressSink& progress);

}  // namespace headroom::experiments::adaptive
