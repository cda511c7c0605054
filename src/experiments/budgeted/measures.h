// What the budgeted experiment counts beside accuracy: how well the cost follows the request, and
// how often training fails.
#pragma once

#include <string>

#include "experiments/record/runs.h"

namespace headroom::experiments::budgeted {

// |mass(b) - b| after the soft stage, over the curve of every seed that has one.
struct MassError {
  double largest = 0;
  double mean = 0;
  bool rises = true;  // every curve, from each budget to the next
  int points = 0;
};
MassError mass_error(const Runs& runs);

// Seeds whose arm ends, at budget 1, below 90 % of what dense reaches; of those that have both.
struct FailedSeeds {
  int failed = 0;
  int all = 0;
};
FailedSeeds failed_seeds(const Runs& runs, const std::string& arm);

}  // namespace headroom::experiments::budgeted
