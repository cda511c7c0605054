// What a sample proves, against numbers computed by hand.
#include "tune/bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"

namespace headroom {
namespace {

TEST(BinomialTail, IsTheSumOfItsTerms) {
  EXPECT_NEAR(binomial_tail(0, 10, 0.1), std::pow(0.9, 10), 1e-12);
  EXPECT_NEAR(binomial_tail(1, 3, 0.5), 0.5, 1e-12);  // (1 + 3) / 8
  EXPECT_NEAR(binomial_tail(2, 4, 0.25), (81 + 4 * 27 + 6 * 9) / 256.0, 1e-12);
  EXPECT_EQ(binomial_tail(5, 5, 0.3), 1);
}

TEST(UpperShare, IsClopperAndPearsons) {
  EXPECT_NEAR(upper_share(0, 299, 0.95), 1 - std::pow(0.05, 1.0 / 299), 1e-9);
  EXPECT_NEAR(upper_share(0, 10, 0.95), 0.2588656, 1e-6);
  // The quantile 0.95 of Beta(3, 8), from a table.
  EXPECT_NEAR(upper_share(2, 10, 0.95), 0.5069013, 1e-6);
  EXPECT_EQ(upper_share(10, 10, 0.95), 1);
}

TEST(UpperShare, FailuresThatProveOnePercentOfAThousandRows) {
  EXPECT_LE(upper_share(4, 1000, 0.95), 0.01);
  EXPECT_GT(upper_share(5, 1000, 0.95), 0.01);
}

TEST(MeanAtMost, AValueBelowNeedsItsRows) {
  // Every value is 0, the bet is 0.1: each wins at most log(1 + 0.1 * 0.75 / 0.9), and log 20 is
  // needed, so 37 rows cannot be enough and a hundred are.
  EXPECT_FALSE(mean_at_most(std::vector<double>(37, 0), 0, 1, 0.1, 0.95));
  EXPECT_TRUE(mean_at_most(std::vector<double>(100, 0), 0, 1, 0.1, 0.95));
}

TEST(MeanAtMost, TheFirstStakeIsTheOneForAVarianceOfAQuarter) {
  // stake = sqrt(2 log(1/0.4) / (0.25 * 1)) = 2.7 > 0.75 / 0.5, so 1.5: it wins 1 + 1.5 * 0.5 =
  // 1.75 of the 2.5 that a certainty of 0.6 takes; a second, 1.75 * 1.75, is enough.
  EXPECT_FALSE(mean_at_most(std::vector<double>{0}, 0, 1, 0.5, 0.6));
  EXPECT_TRUE(mean_at_most(std::vector<double>{0, 0}, 0, 1, 0.5, 0.6));
}

TEST(MeanAtMost, IsSeldomWrongAboutALargerMean) {
  int wrong = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Random random{seed};
    std::vector<double> values;
    for (int i = 0; i < 300; ++i) values.push_back(random.uniform() < 0.25 ? 1 : 0);
    if (mean_at_most(values, 0, 1, 0.25, 0.95)) ++wrong;
  }
  EXPECT_LE(wrong, 20) << "5 % of 400";
}

TEST(MeanAtMost, ProvesWhatIsClearlyTrue) {
  Random random{1};
  std::vector<double> losses;  // one in fifty lost, one in fifty won
  for (int i = 0; i < 4000; ++i) {
    const double draw = random.uniform();
    losses.push_back(draw < 0.02 ? 1 : draw < 0.04 ? -1 : 0);
  }
  EXPECT_TRUE(mean_at_most(losses, -1, 1, 0.02, 0.95));
  EXPECT_FALSE(mean_at_most(losses, -1, 1, -0.01, 0.95));
}

}  // namespace
}  // namespace headroom
