#include "budget/ladder/policy_calibration.h"

#include <set>

namespace headroom {

std::vector<ScoreCalibration> calibration_with(const Policy& policy,
                                               std::span<const ScoreCalibration> own) {
  std::set<double> budgets;
  for (const ScoreCalibration& each : own) budgets.insert(each.budget);
  for (const ScoreCalibration& each : policy.temperatures) {
    if (each.budget > 0) budgets.insert(each.budget);
  }
  std::vector<ScoreCalibration> both;
  for (const double budget : budgets) {
    const ScoreCalibration inner = calibration_at(own, budget);
    const double temperature = policy.temperature_of(budget);
    both.push_back({budget, inner.temperature * temperature, inner.offset / temperature});
  }
  return both;
}

}  // namespace headroom
