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

// Of every row. `rows` has not been given temperatures.
std::vector<Climbed> climb(const Policy& policy, const ScoredRows& rows);

}  // namespace headroom
