#include "experiments/budgeted/summary.h"

#include <gtest/gtest.h>

#include "experiments/summary_fixture.h"
#include "support.h"

namespace headroom::experiments::budgeted {
namespace {
using testing::expect_error;
using testing::expect_in;
using testing::records;
using testing::run_without_arms;

Json point(double budget, double accuracy) {
  return {{"budget", budget},       {"accuracy", accuracy},
          {"active_heads", budget}, {"macs_fraction", 0.5 + budget / 2},
          {"attention_macs", 1e6},  {"model_macs", 2e6}};
}

// Budgeted is `lead` above post-hoc at budget 0.5.
Json run_of(uint64_t seed, double lead) {
  Json run = run_without_arms("agnews", seed);
  Json mass = Json::array({{{"budget", 0.25}, {"mass", 0.30}}, {{"budget", 0.5}, {"mass", 0.51}}});
  run["arms"]["dense"] = {{"points", Json::array({point(1.0, 0.9)})}};
  run["arms"]["budgeted"] = {{"points", Json::array({point(0.5, 0.8 + lead), point(1.0, 0.9)})},
                             {"gates", {{"offset", {0.1, 0.2, 0.3, 0.4}}, {"slope", {0.5}}}}};
  run["arms"]["post-hoc"] = {{"points", Json::array({point(0.5, 0.8), point(1.0, 0.9)})}};
  run["arms"]["soft"] = {{"points", Json::array({point(0.5, 0.85)})}, {"mass", mass}};
  return run;
}

Page summary_of_two_seeds() {
  return summarise(records({run_of(1, 0.05), run_of(2, 0.07)}), Json::object());
}

TEST(BudgetedSummary, DifferencesArePairedBySeed) {
  const Json results = summary_of_two_seeds().results;
  const Json& difference = results.at("differences").at("post-hoc").at("0.5");
  EXPECT_NEAR(difference.at("mean").get<double>(), 0.06, 1e-12);
  EXPECT_EQ(difference.at("seeds").get<int>(), 2);
}

TEST(BudgetedSummary, DenseIsComparedAtItsOwnBudget) {
  const Json results = summary_of_two_seeds().results;
  EXPECT_NEAR(results.at("differences").at("dense").at("0.5").at("mean").get<double>(), -0.04,
              1e-12);
}

TEST(BudgetedSummary, ThePageSaysWhereFromAndWhatIsMissing) {
  const std::string page = summary_of_two_seeds().text;
  expect_in(page,
            {"`headroom reproduce budgeted --task agnews --seeds 1,2`", "Seeds: 1, 2", "a CPU",
             "2026-01-02", "86.00 ±", "## Not run", "no warm start", "largest 0.050"});
  EXPECT_EQ(page.find("Measured time"), std::string::npos) << "nothing was timed";
}

TEST(BudgetedSummary, AFailedSeedIsCounted) {
  Json failed = run_of(2, 0.07);
  failed["arms"]["scratch"] = {{"points", Json::array({point(1.0, 0.3)})}};
  const Json results = summarise(records({run_of(1, 0.05), failed}), Json::object()).results;
  EXPECT_EQ(results.at("failed_seeds").at("scratch").get<int>(), 1);
  EXPECT_EQ(results.at("failed_seeds").at("budgeted").get<int>(), 0);
}

TEST(BudgetedSummary, NoRunsIsAUsageError) {
  expect_error(ErrorCode::usage, "no runs", [] { summarise(records({}), Json::object()); });
}

}  // namespace
}  // namespace headroom::experiments::budgeted
