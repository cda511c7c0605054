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
  int epochs = 0;           // 0: 400,000 rows in all, but 10 to 40
  double rate = 0.25;       // AdaGrad's, falling to 0
  double dropout = 0;       // share of a row's n-grams that a step does without
  double decay = 1e-6;      // of weights that a step touches, a share of the rate
  uint64_t seed = 1;
};

// What 0 epochs mean for so many rows.
int chosen_epochs(size_t rows);

// `targets` are the full model's scores. One thread, so that the same rows give the same bytes.
NgramBag train_ngram_bag(std::span<const Tokens> rows, std::span<const Scores> targets,
                         int64_t vocabulary, int64_t labels, const NgramTraining& settings,
                         ProgressSink& progress);

}  // namespace headroom
