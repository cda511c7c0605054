#include "tune/temperature.h"

#include <gtest/gtest.h>

#include "base/random.h"
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

// Rows whose labels are drawn from the product of both.
struct Blended {
  std::vector<Scores> scores;
  std::vector<Scores> zero;
  std::vector<Scores> targets;
};
Blended blended_rows(size_t count, double weight) {
  Random random{11};
  Blended rows;
  for (size_t i = 0; i < count; ++i) {
    const double a = 0.05 + 0.9 * random.uniform();
    const double b = 0.05 + 0.9 * random.uniform();
    rows.scores.push_back({a, 1 - a});
    rows.zero.push_back({b, 1 - b});
    Scores truth = rows.scores.back();
    blend(truth, rows.zero.back(), weight);
    const bool first = random.uniform() < truth[0];
    rows.targets.push_back({first ? 1.0 : 0.0, first ? 0.0 : 1.0});
  }
  return rows;
}

TEST(Blend, FindsTheWeightThatLabelsWereDrawnWith) {
  const Blended rows = blended_rows(20000, 0.6);
  const BlendFit fit = fit_blend(rows.scores, rows.zero, rows.targets);
  EXPECT_NEAR(fit.weight, 0.6, 0.05);
  EXPECT_NEAR(fit.temperature, 1, 0.05);
}

TEST(Blend, LeavesOutWhatSaysNothing) {
  const Blended rows = blended_rows(2000, 0);
  const BlendFit fit = fit_blend(rows.scores, rows.zero, rows.targets);
  EXPECT_EQ(fit.weight, 0);
  EXPECT_EQ(fit.temperature, fit_temperature(rows.scores, rows.targets));
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
