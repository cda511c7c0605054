// What the last minute looks like.
#include "server/telemetry/live_window.h"

#include <gtest/gtest.h>

namespace headroom::server {
namespace {

TEST(LiveWindow, StartsEmptyWithAMinuteOfNothing) {
  const LiveState state = LiveWindow().state(123456);
  ASSERT_EQ(state.history.size(), 60U);
  EXPECT_EQ(state.history.front().age_s, 59);
  EXPECT_EQ(state.history.back().age_s, 0);
  EXPECT_EQ(state.requests_per_second, 0);
  EXPECT_EQ(state.p99_ms, 0);
}

TEST(LiveWindow, CountsCallsBySecond) {
  LiveWindow window;
  for (int i = 0; i < 10; ++i) window.answered(1000 + i, 5, 1, 0.5);
  window.answered(2500, 5, 2, 1.5);
  window.refused(2600, Refusal::queue_full);
  const LiveState state = window.state(3001);
  EXPECT_EQ(state.history[58].requests_per_second, 10);
  EXPECT_EQ(state.history[58].budget, 0.5);
  EXPECT_EQ(state.history[59].requests_per_second, 1);
  EXPECT_EQ(state.history[59].budget, 0.75) << "of two texts";
  EXPECT_EQ(state.history[59].refused, 1);
  EXPECT_EQ(state.requests_per_second, 11.0 / 5);
  EXPECT_DOUBLE_EQ(state.mean_budget, 6.5 / 12);
}

TEST(LiveWindow, TheSecondUnderWayIsNotShown) {
  LiveWindow window;
  window.answered(5100, 5, 1, 1);
  EXPECT_EQ(window.state(5900).requests_per_second, 0);
  EXPECT_EQ(window.state(6000).requests_per_second, 0.2);
}

TEST(LiveWindow, OldSecondsLeaveButTotalsStay) {
  LiveWindow window;
  window.answered(1000, 5, 1, 1);
  window.refused(1000, Refusal::deadline_unreachable);
  window.refused(1000, Refusal::abandoned);
  const LiveState state = window.state(62000);
  for (const LiveSecond& second : state.history) EXPECT_EQ(second.requests_per_second, 0);
  EXPECT_EQ(state.answered, 1);
  EXPECT_EQ(state.refused, 1);
  EXPECT_EQ(state.abandoned, 1);
}

TEST(LiveWindow, QuantilesAreWithinATwentieth) {
  LiveWindow window;
  for (int i = 1; i <= 1000; ++i) window.answered(1000, 0.1 * i, 1, 1);
  const LiveState state = window.state(2000);
  EXPECT_NEAR(state.p50_ms, 50, 2.5);
  EXPECT_NEAR(state.p99_ms, 99, 5);
}

TEST(LiveWindow, AbsurdTimesFitSomewhere) {
  TimeHistogram times;
  times.add(0);
  times.add(1e12);
  EXPECT_GT(times.quantile(0.5), 0);
  EXPECT_GT(times.quantile(1), 1000);
}

}  // namespace
}  // namespace headroom::server
