// One calibration of a model's logits out of two: config.json's, and behind it the temperatures
// that `headroom tune` fitted.
#pragma once

#include <span>
#include <vector>

#include "budget/ladder/policy.h"

namespace headroom {

// What `own`, of config.json, and then the policy do at a budget; `lexical` is rung zero's weight.
ScoreCalibration calibration_with(const Policy& policy, std::span<const ScoreCalibration> own,
                                  double budget);

// What `own`, of config.json, and then the policy's temperatures do, at every budget that one of
// them was fitted for, for a model that runs without rung zero. The temperature of the bag of
// n-grams is not among them: its scores are no logits of the model.
std::vector<ScoreCalibration> calibration_with(const Policy& policy,
                                               std::span<const ScoreCalibration> own);

}  // namespace headroom
