#include "tune/temperature.h"

#include <gtest/gtest.h>

#include "budget/ladder/confidence.h"

namespace headroom {
namespace {

TEST(Temperature, FindsTheOneThatScoresWereHeatedBy) {
  std::vector<Scores> targets = {{0.7, 0.3}, {0.2, 0.8}, {0.55, 0.45}};
  std::vector<Scores> scores = targets;
  for (Scores& row : scores) apply_temperature(row, 0.4);
  EXPECT_NEAR(fit_temperature(scores, targets), 2.5, 0.01);
  EXPECT_NEAR(fit_temperature(targets, targets), 1, 0.01);
}

TEST(CalibrationError, IsHowFarConfidenceIsFromBeingRight) {
  const std::vector<Scores> scores(10, {0.9, 0.1});
  const std::vector<int32_t> nine = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  const std::vector<int32_t> six = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
  EXPECT_NEAR(calibration_error(scores, nine), 0, 1e-12);
  EXPECT_NEAR(calibration_error(scores, six), 0.3, 1e-12);
}

}  // namespace
}  // namespace headroom
