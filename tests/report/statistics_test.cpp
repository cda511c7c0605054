#include "report/statistics.h"

#include <gtest/gtest.h>

namespace headroom {
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

}  // namespace
}  // namespace headroom
