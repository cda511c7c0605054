#include "budget/fraction.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;

TEST(Budget, AcceptsTheHalfOpenUnitInterval) {
  EXPECT_EQ(checked_budget(1.0), 1.0);
  EXPECT_EQ(checked_budget(1e-9), 1e-9);
}

TEST(Budget, RefusesZeroAboveOneNegativeAndNaN) {
  for (const double bad : {0.0, 1.5, -0.5, std::nan(""), HUGE_VAL}) {
    expect_error(ErrorCode::usage, "is not a budget", [&] { checked_budget(bad); });
  }
}

TEST(Budget, ListsAreReadInOrder) {
  EXPECT_EQ(parse_budgets("0.25,0.5,1"), (std::vector<double>{0.25, 0.5, 1.0}));
}

TEST(Budget, TextThatIsNoNumberIsQuotedBack) {
  for (const char* bad : {"half", "", "0.5,", "0.5x", "nan", "0x1p-1"}) {
    expect_error(ErrorCode::usage, "is not a budget", [&] { parse_budgets(bad); });
  }
}

}  // namespace
}  // namespace headroom
