#include "budget/selection.h"

#include <gtest/gtest.h>

#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;

TEST(Selection, KeepsTheRoundedShareOfAllHeads) {
  EXPECT_EQ(heads_at(0.5, 4, 8), 16);
  EXPECT_EQ(heads_at(0.3, 2, 4), 2);
  EXPECT_EQ(heads_at(1.0, 4, 8), 32);
}

TEST(Selection, NeverLeavesALayerWithoutAHead) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (const double b : {0.001, 0.1, 0.25, 0.5}) {
      for (const auto& layer : select_heads(random_order(6, 8, seed), b).kept) {
        EXPECT_FALSE(layer.empty());
      }
    }
  }
}

TEST(Selection, SmallerBudgetsAreSubsetsOfLargerOnes) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const HeadOrder order = random_order(4, 8, seed);
    for (double small = 0.02; small <= 1.0; small += 0.07) {
      for (double large = small; large <= 1.0; large += 0.07) {
        EXPECT_TRUE(is_subset(select_heads(order, small), select_heads(order, large)));
      }
    }
  }
}

TEST(Selection, BudgetOneKeepsEverything) {
  EXPECT_EQ(select_heads(random_order(4, 8, 3), 1.0), all_heads(4, 8));
}

TEST(Selection, BadBudgetsAreUsageErrors) {
  expect_error(ErrorCode::usage, "is not a budget",
               [] { select_heads(random_order(2, 2, 1), 1.5); });
}

TEST(Selection, WithoutFfnCountsMeansTheWholeFfn) {
  const Selection whole = all_heads(2, 2);
  Selection half = whole;
  half.ffn = {6, 2};
  EXPECT_EQ(whole.ffn_of(1, 8), 8);
  EXPECT_EQ(half.ffn_of(1, 8), 2);
  EXPECT_EQ(whole.active_ffn(8), 1.0);
  EXPECT_EQ(half.active_ffn(8), 0.5);
  EXPECT_TRUE(is_subset(half, whole));
  EXPECT_FALSE(is_subset(whole, half));
}

TEST(Selection, IsNoSubsetWhenOneLayerHasMoreNeurons) {
  Selection a = all_heads(2, 2);
  a.ffn = {4, 4};
  Selection b = a;
  b.ffn = {8, 3};
  EXPECT_FALSE(is_subset(a, b));
  EXPECT_FALSE(is_subset(b, a));
  EXPECT_TRUE(is_subset(a, a));
}

}  // namespace
}  // namespace headroom
