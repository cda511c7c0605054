#include "budget/ladder/policy_calibration.h"

#include <set>

namespace headroom {

ScoreCalibration calibration_with(const Policy& policy, std::span<const ScoreCalibration> own,
                                  double budget) {
  const ScoreCalibration inner = calibration_at(own, budget);
  const double temperature = policy.temperature_of(budget);
  return {budget, inner.temperature * temperature, inner.offset / temperature,
          policy.rung_zero_weight(budget)};
}

std::vector<ScoreCalibration> calibration_with(const Policy& policy,
                                               std::span<const ScoreCalibration> own) {
  std::set<double> budgets;
  for (const ScoreCalibration& each : own) budgets.insert(each.budget);
  for (const ScoreCalibration& each : policy.temperatures) {
    if (each.budget > 0) budgets.insert(each.budget);
  }
  std::vector<ScoreCalibration> both;
  for (const double budget : budgets) {
    both.push_back(calibration_with(policy, own, budget));
    both.back().lexical = 0;
  }
  return both;
}

}  // namespace headroom
