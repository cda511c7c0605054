// What a policy does with rows whose scores are known: the engine's rule, without running the model
// again. A rung's answer has the bits of its flat budget, so both say the same.
#pragma once

#include <vector>

#include "budget/ladder/policy.h"
#include "tune/scored_rows.h"

namespace headroom {

struct Climbed {
  size_t label = 0;
  double budget = 0;  // sum of the rungs'
};

// What the engine answers at a flat budget, the `at`-th of `rows`, which has not been given
// temperatures: the model's scores, and rung zero's where the policy gives it a say.
Scores answered(const Policy& policy, const ScoredRows& rows, size_t at, size_t row);

// Of every row, likewise.
std::vector<Climbed> climb(const Policy& policy, const ScoredRows& rows);

}  // namespace headroom
