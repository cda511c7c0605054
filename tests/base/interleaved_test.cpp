#include "base/measure/interleaved.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace headroom {
namespace {

TEST(Interleaved, EveryContestantRunsInEveryRoundAndWarmUpIsNotKept) {
  std::string calls;
  const auto times = time_interleaved({[&] { calls += 'a'; }, [&] { calls += 'b'; }}, 2, 5, 1);
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0].size(), 5U);
  EXPECT_EQ(times[1].size(), 5U);
  ASSERT_EQ(calls.size(), 14U);
  for (size_t round = 0; round < calls.size(); round += 2) {
    EXPECT_NE(calls[round], calls[round + 1]) << "both in each round: " << calls;
  }
}

TEST(Interleaved, TheOrderChangesFromRoundToRound) {
  std::string calls;
  time_interleaved({[&] { calls += 'a'; }, [&] { calls += 'b'; }}, 0, 40, 7);
  EXPECT_NE(calls.find("abba"), std::string::npos) << calls;
}

TEST(Interleaved, QuantilesInterpolate) {
  EXPECT_DOUBLE_EQ(quantile({3, 1, 2}, 0.5), 2);
  EXPECT_DOUBLE_EQ(quantile({1, 2}, 0.5), 1.5);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4, 5}, 0.9), 4.6);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.1), 7);
}

TEST(Interleaved, ARatioIsTheMedianOfSameRoundRatios) {
  // The machine slowed down tenfold in the last round; the ratio does not notice.
  EXPECT_DOUBLE_EQ(median_ratio({2, 2, 20}, {1, 1, 10}), 2);
}

}  // namespace
}  // namespace headroom
