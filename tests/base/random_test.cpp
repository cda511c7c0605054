#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace headroom {
namespace {

TEST(Random, SameKeySameStream) {
  Random a{1, 2, 3};
  Random b{1, 2, 3};
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next(), b.next());
}

TEST(Random, NeighbouringKeysGiveUnrelatedStreams) {
  Random a{1, 2};
  Random b{2, 1};
  EXPECT_NE(a.next(), b.next());
  EXPECT_NE(mix_key({0}), mix_key({0, 0}));
}

TEST(Random, BelowIsUniformEnough) {
  Random random{7};
  std::vector<int> counts(5);
  for (int i = 0; i < 50000; ++i) ++counts[random.below(5)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);  // 5.6 standard deviations
}

TEST(Random, NormalHasMeanZeroAndVarianceOne) {
  Random random{11};
  double sum = 0;
  double squares = 0;
  const int n = 50000;
  for (int i = 0; i < n; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / n, 0.0, 0.025);
  EXPECT_NEAR(squares / n, 1.0, 0.035);
}

TEST(Random, ShuffleIsAPermutation) {
  std::vector<int> items(100);
  std::iota(items.begin(), items.end(), 0);
  std::vector<int> shuffled = items;
  Random{3}.shuffle(shuffled);
  EXPECT_NE(shuffled, items);
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, items);
}

}  // namespace
}  // namespace headroom
