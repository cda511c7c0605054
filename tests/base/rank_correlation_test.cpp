#include "base/measure/rank_correlation.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace headroom {
namespace {

using Values = std::vector<double>;

TEST(Ranks, AreSharedByEquals) {
  EXPECT_EQ(ranks_of({30, 10, 20, 10}), (Values{4, 1.5, 3, 1.5}));
}

TEST(RankCorrelation, SeesOnlyTheOrder) {
  EXPECT_NEAR(rank_correlation(Values{1, 2, 3, 4, 5}, Values{1, 10, 100, 1000, 1e6}).value, 1,
              1e-12);
  EXPECT_NEAR(rank_correlation(Values{1, 2, 3, 4, 5}, Values{5, 4, 3, 2, 1}).value, -1, 1e-12);
}

TEST(RankCorrelation, IsNoneWhereNothingChanges) {
  EXPECT_EQ(rank_correlation(Values{1, 2, 3}, Values{7, 7, 7}).value, 0);
}

TEST(RankCorrelation, GetsNarrowerWithMoreValues) {
  Random random{1};
  Values a, b;
  for (int i = 0; i < 2000; ++i) {
    a.push_back(random.normal());
    b.push_back(a.back() + random.normal());
  }
  const Correlation many = rank_correlation(a, b);
  a.resize(50);
  b.resize(50);
  const Correlation few = rank_correlation(a, b);
  EXPECT_LT(many.high - many.low, few.high - few.low);
  EXPECT_LT(many.low, 0.69);  // of normal values with correlation 0.71
  EXPECT_GT(many.high, 0.66);
}

TEST(RankCorrelation, VanishesWhenTheCommonCauseIsFixed) {
  Random random{2};
  Values cause, a, b;
  for (int i = 0; i < 3000; ++i) {
    cause.push_back(random.normal());
    a.push_back(cause.back() + random.normal());
    b.push_back(cause.back() + random.normal());
  }
  EXPECT_GT(rank_correlation(a, b).value, 0.4);
  EXPECT_NEAR(rank_correlation(a, b, cause).value, 0, 0.06);
}

}  // namespace
}  // namespace headroom
