// What a model said of rows at every budget that a ladder may have: what a policy is fitted and
// checked on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tune/temperature.h"

namespace headroom {

struct BudgetScores {
  double budget = 1;           // 0: the bag of n-grams
  double cost = 1;             // of dense's, in MACs or measured time
  std::vector<Scores> scores;  // one a row
};

struct ScoredRows {
  std::vector<int32_t> labels;           // the right ones; empty: nobody knows them
  std::vector<BudgetScores> at_budgets;  // ascending, the last is 1

  size_t size() const { return at_budgets.back().scores.size(); }
  bool labelled() const { return !labels.empty(); }
};

}  // namespace headroom
