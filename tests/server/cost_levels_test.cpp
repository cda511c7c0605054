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
  EXPECT_EQ(levels.ladder_step(levels.top()).thresholds, 1U);
  EXPECT_EQ(levels.ladder_step(0).thresholds, 0U);
  const LatencyEstimate& top = levels.ladder_estimate(levels.top(), 100);
  EXPECT_DOUBLE_EQ(top.median_ms, 0.4 * 2.5 + 0.05 * 10);
  EXPECT_DOUBLE_EQ(top.p90_ms, 2.5) << "one in twenty goes further, two in five come here";
  EXPECT_EQ(levels.ladder_estimate(0, 100).median_ms, 0) << "the bag answers all";
  EXPECT_DOUBLE_EQ(levels.climbed_ms(2, 100), 2.5);
  EXPECT_DOUBLE_EQ(levels.climbed_ms(3, 100), 12.5) << "all rungs, one after the other";
}

// The first rung stops everybody at the lowest level, nobody at the highest.
Policy ladder_from(double first) {
  Policy policy;
  policy.rungs = {{first, {}}, {1, {}}};
  policy.levels = {{{0}, {1, 0}, 0.8, {}, first}, {{2}, {1, 1}, 1, {}, first + 1}};
  return policy;
}

TEST(CostLevels, BelowItsFirstRungALadderGivesWayToFlatBudgets) {
  const Policy policy = ladder_from(0.5);
  const CostLevels levels(linear_table(), 0.125, 1, 1000, &policy);
  EXPECT_FALSE(levels.ladder_step(0).thresholds);
  EXPECT_EQ(levels.ladder_step(0).budget, 0.125);
  EXPECT_DOUBLE_EQ(levels.ladder_estimate(0, 100).median_ms, 1.25);
  EXPECT_EQ(levels.ladder_step(levels.top()).thresholds, 1U);
  for (size_t level = 1; level < levels.count(); ++level) {
    const LadderStep& below = levels.ladder_step(level - 1);
    const LadderStep& step = levels.ladder_step(level);
    EXPECT_TRUE(step.thresholds || !below.thresholds) << "thresholds give way first";
  }
}

TEST(CostLevels, AModelMeasuredAtOneBudgetHasALadderToLower) {
  const LatencyTable dense{"simulated", "fp32", 1, "", {{1, 10, 2.0, 2.5}}};
  const Policy policy = ladder_from(0);
  const CostLevels levels(dense, 0.125, 1, 10, &policy);
  EXPECT_EQ(levels.count(), 2U);
  EXPECT_EQ(levels.ladder_step(0).thresholds, 0U);
  EXPECT_EQ(levels.ladder_step(1).thresholds, 1U);
  EXPECT_EQ(levels.budget(0), 1) << "flat budgets have nothing below";
}

TEST(CostLevels, WhereTheLeastBudgetIsTheMostThresholdsDoNotGiveWayEither) {
  const Policy policy = ladder_from(0);
  const CostLevels levels(linear_table(), 1, 1, 10, &policy);
  EXPECT_EQ(levels.count(), 1U);
  EXPECT_EQ(levels.ladder_step(0).thresholds, 1U);
}

TEST(CostLevels, TheBagTakesTimeByTheToken) {
  const Policy policy = ladder_from(0);
  const CostLevels levels(linear_table(), 0, 1, 1000, &policy, /*bag_token_ms=*/0.001);
  EXPECT_DOUBLE_EQ(levels.ladder_estimate(0, 100).median_ms, 0.1);
  EXPECT_DOUBLE_EQ(levels.ladder_estimate(levels.top(), 100).median_ms, 10.1);
  EXPECT_EQ(levels.budget(0), 0) << "flat budgets end there too, as they were told to";
  EXPECT_DOUBLE_EQ(levels.estimate(0, 100).median_ms, 0.1);
}

TEST(CostLevels, AMeasurementThatSaysMoreIsFasterIsNotBelieved) {
  const LatencyTable noisy{"simulated", "fp32", 1, "", {{0.5, 10, 3.0, 4.0}, {1, 10, 2.0, 2.5}}};
  const CostLevels levels(noisy, 0.5, 1, 10);
  EXPECT_EQ(levels.estimate(levels.top(), 10).median_ms, 3.0);
  EXPECT_EQ(levels.estimate(levels.top(), 10).p90_ms, 4.0);
}

}  // namespace
}  // namespace headroom::server
