// The budgets that the controller chooses from.
#include "server/schedule/cost_levels.h"

#include <gtest/gtest.h>

#include "server/simulated_time.h"

namespace headroom::server {
namespace {

using testing::linear_levels;
using testing::linear_table;

std::vector<double> budgets_of(const CostLevels& levels) {
  std::vector<double> budgets;
  for (size_t i = 0; i < levels.count(); ++i) budgets.push_back(levels.budget(i));
  return budgets;
}

TEST(CostLevels, AreMeasuredBudgetsAndTheMiddlesBetweenThem) {
  EXPECT_EQ(budgets_of(linear_levels(0.75, 1)), (std::vector{0.75, 0.8125, 0.875, 0.9375, 1.0}));
}

TEST(CostLevels, BeginAndEndWhereTheyWereToldTo) {
  EXPECT_EQ(budgets_of(linear_levels(0.8, 0.9)), (std::vector{0.8, 0.8125, 0.875, 0.9}));
  EXPECT_EQ(budgets_of(linear_levels(0.5, 0.5)), std::vector{0.5});
}

TEST(CostLevels, AModelMeasuredAtOneBudgetHasNoOther) {
  const LatencyTable dense{"simulated", "fp32", 1, "", {{1, 10, 2.0, 2.5}}};
  EXPECT_EQ(budgets_of(CostLevels(dense, 0.125, 0.5, 10)), std::vector{1.0});
}

TEST(CostLevels, TimesAreTheTables) {
  const CostLevels levels = linear_levels();
  for (const int64_t tokens : {1, 7, 128, 1000}) {
    for (size_t level = 0; level < levels.count(); ++level) {
      const LatencyEstimate expected = linear_table().estimate(levels.budget(level), tokens);
      EXPECT_DOUBLE_EQ(levels.estimate(level, tokens).median_ms, expected.median_ms);
      EXPECT_DOUBLE_EQ(levels.estimate(level, tokens).p90_ms, expected.p90_ms);
    }
  }
}

TEST(CostLevels, ALadderTakesItsRungsWeighedByWhoReachesThem) {
  Policy policy;
  policy.rungs = {{0, {}}, {0.25, {}}, {1, {}}};
  policy.levels = {{{0, 0}, {1, 0, 0}, 0.8, {}, 0}, {{0.9, 0.9}, {1, 0.4, 0.05}, 1, {}, 0.15}};
  const CostLevels levels(linear_table(), 0.125, 1, 1000, &policy);
  EXPECT_EQ(levels.ladder_level(levels.top()), 1U);
  EXPECT_EQ(levels.ladder_level(0), 0U);
  const LatencyEstimate& top = levels.ladder_estimate(levels.top(), 100);
  EXPECT_DOUBLE_EQ(top.median_ms, 0.4 * 2.5 + 0.05 * 10);
  EXPECT_DOUBLE_EQ(top.p90_ms, 2.5) << "one in twenty goes further, two in five come here";
  EXPECT_EQ(levels.ladder_estimate(0, 100).median_ms, 0) << "the bag answers all";
}

TEST(CostLevels, AMeasurementThatSaysMoreIsFasterIsNotBelieved) {
  const LatencyTable noisy{"simulated", "fp32", 1, "", {{0.5, 10, 3.0, 4.0}, {1, 10, 2.0, 2.5}}};
  const CostLevels levels(noisy, 0.5, 1, 10);
  EXPECT_EQ(levels.estimate(levels.top(), 10).median_ms, 3.0);
  EXPECT_EQ(levels.estimate(levels.top(), 10).p90_ms, 4.0);
}

}  // namespace
}  // namespace headroom::server
