#include "report/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace headroom::report {
namespace {

TEST(Statistics, ThreeValuesGetStudentsInterval) {
  const Estimate value = estimate({1.0, 2.0, 3.0});
  EXPECT_DOUBLE_EQ(value.mean, 2.0);
  EXPECT_DOUBLE_EQ(value.deviation, 1.0);
  EXPECT_NEAR(value.half_width, 4.303 / 1.7320508, 1e-3);  // t for 2 degrees of freedom / sqrt(3)
  EXPECT_NEAR(value.high() - value.low(), 2 * value.half_width, 1e-12);
}

TEST(Statistics, OneValueHasNoInterval) {
  const Estimate value = estimate({0.9});
  EXPECT_EQ(value.count, 1);
  EXPECT_DOUBLE_EQ(value.mean, 0.9);
  EXPECT_EQ(value.half_width, 0.0);
}

TEST(Statistics, NoValuesAreCountedAsNone) {
  EXPECT_EQ(estimate({}).count, 0);
}

TEST(Statistics, ManyValuesUseTheNormalPoint) {
  std::vector<double> values(100, 0.0);
  for (size_t i = 0; i < 50; ++i) values[i] = 1.0;
  const Estimate value = estimate(values);
  EXPECT_NEAR(value.half_width, 1.96 * value.deviation / 10.0, 1e-12);
}

TEST(TTest, FindsTheTabledPoints) {
  // 2.776 is the 97.5 % point for 4 degrees of freedom.
  const double mean = 2.776 / std::sqrt(5.0);
  std::vector<double> values = {-2, -1, 0, 1, 2};
  const double deviation = estimate(values).deviation;
  for (double& value : values) value = value / deviation + mean;
  EXPECT_NEAR(t_test(values), 0.05, 1e-4);
}

TEST(TTest, SaysNothingAboutOneValueAndEverythingAboutEqualOnes) {
  EXPECT_EQ(t_test({3.0}), 1.0);
  EXPECT_EQ(t_test({3.0, 3.0}), 0.0);
  EXPECT_EQ(t_test({0.0, 0.0}), 1.0);
}

TEST(Bootstrap, LiesAroundTheMeanWithinTheValues) {
  const Interval interval = bootstrap({1, 2, 3, 4, 5});
  EXPECT_GT(interval.low, 1.0);
  EXPECT_LT(interval.low, 3.0);
  EXPECT_GT(interval.high, 3.0);
  EXPECT_LT(interval.high, 5.0);
}

TEST(ShareInterval, IsWilsonsAndStaysInsideZeroToOne) {
  const Interval half = share_interval(0.5, 100);
  EXPECT_NEAR(half.low, 0.4038, 1e-4);
  EXPECT_NEAR(half.high, 0.5962, 1e-4);
  const Interval all = share_interval(1.0, 10);
  EXPECT_NEAR(all.low, 0.7225, 1e-4);
  EXPECT_DOUBLE_EQ(all.high, 1.0);
}

}  // namespace
}  // namespace headroom::report
