// From what a controller says to heads.
#include "budget/head_choice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "budget/selection.h"

namespace headroom {
namespace {

std::vector<int32_t> best(const std::vector<double>& scores, size_t count) {
  std::vector<int32_t> heads(count);
  best_heads(scores, heads);
  return heads;
}

TEST(HeadsNeeded, AreTheShareRoundedUp) {
  EXPECT_EQ(heads_needed(0.25, 8), 2);
  EXPECT_EQ(heads_needed(0.2501, 8), 3);
  EXPECT_EQ(heads_needed(0.999, 8), 8);
}

TEST(HeadsNeeded, AreNeverNoneAndNeverMoreThanThereAre) {
  EXPECT_EQ(heads_needed(0.0, 8), 1);
  EXPECT_EQ(heads_needed(1e-9, 8), 1);
  EXPECT_EQ(heads_needed(1.0, 8), 8);
  EXPECT_EQ(heads_needed(7.0, 8), 8);
  EXPECT_EQ(heads_needed(std::numeric_limits<double>::quiet_NaN(), 8), 1);
}

TEST(BestHeads, ComeInAscendingOrder) {
  EXPECT_EQ(best({0.1, 0.9, 0.3, 0.8}, 3), (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ(best({0.1, 0.9, 0.3, 0.8}, 4), (std::vector<int32_t>{0, 1, 2, 3}));
}

TEST(BestHeads, TakeTheLowerNumberOfEquals) {
  EXPECT_EQ(best({5, 5, 5}, 2), (std::vector<int32_t>{0, 1}));
}

TEST(BestHeads, StayWithinTheModelWhenScoresAreNoNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(best({nan, nan, nan}, 2), (std::vector<int32_t>{0, 1}));
}

TEST(EvenLimit, RoundsTheBudgetInEveryLayer) {
  ModelShape shape;
  shape.layers = 3;
  shape.heads = 8;
  EXPECT_EQ(even_limit(shape, 0.3).most, (std::vector<int64_t>{2, 2, 2}));
  EXPECT_EQ(even_limit(shape, 0.01).most, (std::vector<int64_t>{1, 1, 1}));
  EXPECT_EQ(even_limit(shape, 1.0).most, (std::vector<int64_t>{8, 8, 8}));
}

GateParameters two_layers() {
  return {2, 3, {2.0, 1.0, -1.0, 0.5, -2.0, -3.0}, {unit_slope}};
}

TEST(GatedLimit, AllowsAsManyHeadsAsTheGatesKeep) {
  for (const double budget : {0.2, 0.5, 0.7, 1.0}) {
    const Selection kept = select_heads(two_layers().order(budget), budget);
    const HeadLimit limit = gated_limit(two_layers(), budget, 1.0);
    EXPECT_EQ(limit.most, (std::vector<int64_t>{kept.heads_of(0), kept.heads_of(1)}));
  }
}

TEST(GatedLimit, RanksByRelevanceTimesGate) {
  constexpr double tau = 0.5;
  const std::vector<double> gates = two_layers().values(0.4);
  const HeadLimit limit = gated_limit(two_layers(), 0.4, tau);
  Random random{1};
  for (int round = 0; round < 100; ++round) {
    const std::vector<double> z = {random.normal(), random.normal()};
    const bool by_product = std::exp(z[0] / tau) * gates[3] > std::exp(z[1] / tau) * gates[4];
    EXPECT_EQ(limit.score(1, 0, z[0]) > limit.score(1, 1, z[1]), by_product);
  }
}

TEST(GatedLimit, LeavesRelevanceAloneAtBudgetOne) {
  const HeadLimit limit = gated_limit(two_layers(), 1.0, 1.0);
  EXPECT_EQ(limit.score(0, 2, 0.25), 0.25);
}

}  // namespace
}  // namespace headroom
