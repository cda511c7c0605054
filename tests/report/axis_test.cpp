#include "report/plot/axis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/random.h"

namespace headroom::report {
namespace {

std::vector<std::string> labels(ValueRange range, int at_most, ValueFormat format) {
  const Ticks ticks = round_ticks(range, at_most, format);
  std::vector<std::string> texts;
  for (const double value : ticks.values) texts.push_back(format_value(value, format, ticks.step));
  return texts;
}

TEST(Axis, ExponentsAreShownAsPowersOfTen) {
  EXPECT_EQ(labels({-0.2, 3.1}, 11, ValueFormat::exponent),
            (std::vector<std::string>{"1", "10", "100", "1000"}));
  EXPECT_EQ(format_value(std::log10(3456.7), ValueFormat::exponent, 1), "3457");
  EXPECT_EQ(format_value(std::log10(0.0123), ValueFormat::exponent, 1), "0.0123");
}

TEST(Ticks, OfCountsAreWhole) {
  EXPECT_EQ(round_ticks({0.9, 3.1}, 12, ValueFormat::whole).values, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(round_ticks({0, 40}, 5, ValueFormat::whole).values,
            (std::vector<double>{0, 10, 20, 30, 40}));
}

TEST(Ticks, StandAtRoundNumbers) {
  EXPECT_EQ(labels({0, 1}, 6, ValueFormat::plain),
            (std::vector<std::string>{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels({0.878, 0.9012}, 6, ValueFormat::percent),
            (std::vector<std::string>{"88.0%", "88.5%", "89.0%", "89.5%", "90.0%"}));
  EXPECT_EQ(labels({0.9, 2.1}, 4, ValueFormat::speed_up),
            (std::vector<std::string>{"1.0x", "1.5x", "2.0x"}));
}

TEST(Ticks, AreRoundAndInsideAnyRange) {
  Random random{5};
  for (int i = 0; i < 2000; ++i) {
    const double low = random.normal() * std::pow(10.0, 12 * random.uniform() - 6);
    const double span = std::pow(10.0, 12 * random.uniform() - 6) + 1e-6 * std::abs(low);
    const ValueRange range{low, low + span};
    const int at_most = 2 + static_cast<int>(random.below(10));
    const Ticks ticks = round_ticks(range, at_most);
    EXPECT_LE(ticks.values.size(), static_cast<size_t>(at_most));
    const double leading = ticks.step / std::pow(10.0, std::floor(std::log10(ticks.step) + 1e-9));
    EXPECT_LT(std::min({std::abs(leading - 1), std::abs(leading - 2), std::abs(leading - 5)}), 1e-6)
        << "step " << ticks.step;
    for (const double value : ticks.values) {
      EXPECT_TRUE(range.contains(value)) << value << " in " << range.low << ".." << range.high;
      EXPECT_NEAR(value / ticks.step, std::round(value / ticks.step), 1e-6);
    }
  }
}

TEST(Ticks, ThereAreAtLeastTwoWhenSixAreAllowed) {
  Random random{6};
  for (int i = 0; i < 1000; ++i) {
    const double low = random.normal();
    EXPECT_GE(round_ticks({low, low + 0.01 + random.uniform()}, 6).values.size(), 2U);
  }
}

TEST(FormatValue, ShowsTheDecimalsOfTheStep) {
  EXPECT_EQ(format_value(0.25, ValueFormat::plain, 0.05), "0.25");
  EXPECT_EQ(format_value(3, ValueFormat::plain, 1), "3");
  EXPECT_EQ(format_value(0.5, ValueFormat::percent, 0.25), "50%");
  EXPECT_EQ(format_value(0.8955, ValueFormat::percent, 0.0005), "89.55%");
  EXPECT_EQ(format_value(1.25, ValueFormat::speed_up, 0.25), "1.25x");
}

TEST(FormatValue, ZeroHasNoSign) {
  EXPECT_EQ(format_value(-1e-17, ValueFormat::plain, 0.1), "0.0");
}

TEST(FormatValue, HugeAndTinyValuesStayShort) {
  EXPECT_EQ(format_value(2e12, ValueFormat::plain, 1e12), "2e+12");
  EXPECT_EQ(format_value(2e-12, ValueFormat::plain, 1e-12), "2e-12");
}

TEST(RangeFinder, IgnoresWhatCannotBePlotted) {
  RangeFinder finder;
  finder.add(std::nan(""));
  finder.add(std::numeric_limits<double>::infinity());
  EXPECT_TRUE(finder.empty());
  finder.add(2);
  finder.add(4);
  EXPECT_DOUBLE_EQ(finder.padded(0.1).low, 1.8);
  EXPECT_DOUBLE_EQ(finder.padded(0.1).high, 4.2);
}

TEST(RangeFinder, ASingleValueGetsRoomAroundIt) {
  for (const double value : {0.0, -3.0, 0.9}) {
    RangeFinder finder;
    finder.add(value);
    EXPECT_LT(finder.padded(0.05).low, value);
    EXPECT_GT(finder.padded(0.05).high, value);
  }
}

TEST(LinearScale, MapsEndsToEndsAndMayRunDownwards) {
  const LinearScale scale({10, 20}, 300, 100);
  EXPECT_DOUBLE_EQ(scale(10), 300);
  EXPECT_DOUBLE_EQ(scale(20), 100);
  EXPECT_DOUBLE_EQ(scale(15), 200);
}

}  // namespace
}  // namespace headroom::report
