// Trains rung zero: a bag of n-grams that repeats what the full model says of rows, labelled or
// not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/progress.h"
#include "budget/ladder/ngram_bag.h"
#include "headroom/types.h"
#include "tune/temperature.h"

namespace headroom {

struct NgramTraining {
  int64_t orders = 2;       // tokens of the longest n-gram
  int64_t bytes = 4 << 20;  // that buckets may take
  int epochs = 10;
  double rate = 1;      // AdaGrad's, falling to 0
  double decay = 1e-6;  // of weights that a step touches, a share of the rate
  uint64_t seed = 1;
};

// `targets` are the full model's scores. One thread, so that the same rows give the same bytes.
NgramBag train_ngram_bag(std::span<const Tokens> rows, std::span<const Scores> targets,
                         int64_t vocabulary, int64_t labels, const NgramTraining& settings,
                         ProgressSink& progress);

}  // namespace headroom
