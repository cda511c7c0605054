#include "base/join.h"

#include <gtest/gtest.h>

#include <vector>

namespace headroom {
namespace {

TEST(Join, SeparatorsStandOnlyBetweenParts) {
  EXPECT_EQ(join(std::vector<std::string>{"dense", "nested"}, ", "), "dense, nested");
  EXPECT_EQ(join(std::vector<std::string>{"dense"}, ", "), "dense");
  EXPECT_EQ(join(std::vector<std::string>{}, ", "), "");
}

TEST(Join, EmptyPartsKeepTheirSeparators) {
  EXPECT_EQ(join(std::vector<std::string>{"", "a", ""}, "|"), "|a|");
}

TEST(Join, NumbersAreWrittenShort) {
  EXPECT_EQ(join(std::vector<int>{1, 2, 3}, " "), "1 2 3");
  EXPECT_EQ(join(std::vector<double>{0.125, 1.0}, ","), "0.125,1");
}

}  // namespace
}  // namespace headroom
