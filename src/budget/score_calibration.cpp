#include "budget/score_calibration.h"

#include <algorithm>

namespace headroom {

ScoreCalibration calibration_at(std::span<const ScoreCalibration> fitted, double budget) {
  if (fitted.empty()) return {budget};
  const auto above = std::find_if(fitted.begin(), fitted.end(), [&](const ScoreCalibration& each) {
    return each.budget >= budget;
  });
  const ScoreCalibration& high = above == fitted.end() ? fitted.back() : *above;
  const ScoreCalibration& low = above == fitted.begin() ? high : *(above - 1);
  if (low.budget >= high.budget) return {budget, high.temperature, high.offset, high.lexical};
  const double share = (budget - low.budget) / (high.budget - low.budget);
  return {budget, low.temperature + share * (high.temperature - low.temperature),
          low.offset + share * (high.offset - low.offset),
          low.lexical + share * (high.lexical - low.lexical)};
}

}  // namespace headroom
