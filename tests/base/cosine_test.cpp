#include "base/measure/cosine.h"

#include <gtest/gtest.h>

#include <vector>

namespace headroom {
namespace {

using Numbers = std::vector<float>;

TEST(Cosine, IsOfDirectionsWhateverTheirLength) {
  EXPECT_DOUBLE_EQ(cosine(Numbers{1, 2}, Numbers{3, 6}), 1);
  EXPECT_DOUBLE_EQ(cosine(Numbers{1, 0}, Numbers{-2, 0}), -1);
  EXPECT_DOUBLE_EQ(cosine(Numbers{1, 0}, Numbers{0, 5}), 0);
}

TEST(Cosine, OfNoDirectionIsZero) {
  EXPECT_EQ(cosine(Numbers{0, 0}, Numbers{1, 2}), 0);
  EXPECT_EQ(cosine(Numbers{0, 0}, Numbers{0, 0}), 0);
  EXPECT_EQ(cosine({}, {}), 0);
}

}  // namespace
}  // namespace headroom
