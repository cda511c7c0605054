#include "budget/latency_table.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support.h"

namespace headroom {
namespace {
using namespace testing;

// Two budgets at two lengths: 1 and 2 ms at the smaller one, 2 and 4 at the whole; p90 half more.
LatencyTable small_table() {
  return {"a CPU",
          "fp32",
          1,
          "2026-01-02",
          {{0.5, 10, 1.0, 1.5}, {0.5, 20, 2.0, 3.0}, {1.0, 10, 2.0, 3.0}, {1.0, 20, 4.0, 6.0}}};
}

TEST(LatencyTable, MeasuredCellsComeBackAsTheyAre) {
  const LatencyEstimate time = small_table().estimate(0.5, 20);
  EXPECT_EQ(time.median_ms, 2.0);
  EXPECT_EQ(time.p90_ms, 3.0);
}

TEST(LatencyTable, WithMoreCellsThanAnybodyMeasuresIsRefused) {
  Json json = to_json(small_table());
  while (json["cells"].size() <= max_latency_cells) json["cells"].push_back(json["cells"][0]);
  expect_error(ErrorCode::bad_model, "more than 4096 cells",
               [&] { latency_table_from_json(json); });
}

TEST(LatencyTable, IsLinearBetweenLengthsAndBetweenBudgets) {
  EXPECT_DOUBLE_EQ(small_table().estimate(1.0, 15).median_ms, 3.0);
  EXPECT_DOUBLE_EQ(small_table().estimate(0.75, 10).p90_ms, 2.25);
  EXPECT_DOUBLE_EQ(small_table().estimate(0.75, 15).median_ms, 2.25);
}

TEST(LatencyTable, GrowsInProportionBeyondTheLongestAndNeverShrinksBelowTheShortest) {
  EXPECT_DOUBLE_EQ(small_table().estimate(1.0, 40).median_ms, 8.0);
  EXPECT_DOUBLE_EQ(small_table().estimate(1.0, 2).median_ms, 2.0);
}

TEST(LatencyTable, BelowTheSmallestBudgetItIsThatBudgets) {
  EXPECT_DOUBLE_EQ(small_table().estimate(0.1, 10).median_ms, 1.0);
}

TEST(LatencyTable, ATargetIsMetByTheP90OfTheLargestBudgetThatFits) {
  EXPECT_EQ(small_table().largest_budget(3.0, 10), 1.0);
  EXPECT_EQ(small_table().largest_budget(2.9, 10), 0.5) << "the median would fit, the p90 does not";
  EXPECT_EQ(small_table().largest_budget(1.4, 10), std::nullopt);
  EXPECT_EQ(small_table().largest_budget(3.0, 20), 0.5);
}

TEST(LatencyTable, AMoreGenerousTargetNeverGivesLess) {
  const LatencyTable table = small_table();
  double before = 0;
  for (double target = 1.0; target < 10; target += 0.25) {
    const double budget = table.largest_budget(target, 17).value_or(0);
    EXPECT_GE(budget, before) << target;
    before = budget;
  }
  EXPECT_EQ(before, 1.0);
}

TEST(LatencyTable, SurvivesJson) {
  const Json json = to_json(small_table());
  EXPECT_EQ(to_json(latency_table_from_json(json)), json);
}

TEST(LatencyTable, RefusesWhatIsNotATable) {
  const auto refused = [](const std::function<void(Json&)>& damage, const char* fragment) {
    Json json = to_json(small_table());
    damage(json);
    expect_error(ErrorCode::bad_model, fragment, [&] { latency_table_from_json(json); });
  };
  refused([](Json& json) { json.erase("machine"); }, "machine");
  refused([](Json& json) { json["cells"] = Json::array(); }, "cells");
  refused([](Json& json) { json["cells"].erase(0); }, "holds 3 cells");
  refused([](Json& json) { json["cells"][1] = json["cells"][0]; }, "once");
  refused([](Json& json) { json["cells"][0]["median_ms"] = -1; }, "median_ms");
  refused([](Json& json) { json["cells"][0]["median_ms"] = 99; }, "p90_ms");
  refused([](Json& json) { json["cells"][0]["budget"] = 1.5; }, "budget");
}

}  // namespace
}  // namespace headroom
