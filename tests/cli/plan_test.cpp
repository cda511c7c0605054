// `headroom plan` over a latency table written by hand, so that its arithmetic can be read off.
#include <gtest/gtest.h>

#include "checkpoint/checkpoint.h"
#include "checkpoint/latency_file.h"
#include "checkpoint/policy_file.h"
#include "checkpoint/score_file.h"
#include "cli/contract.h"
#include "support.h"

namespace headroom {
namespace {
using namespace testing;

// A nested model, of which `plan` reads the config, with 1 ms at a quarter and 4 ms at the full
// budget for 10 tokens, twice that for 20.
class Plan : public ::testing::Test {
 protected:
  Plan() {
    ModelConfig config;
    const Vocabulary vocabulary = Vocabulary::with_words({"goal", "bank"});
    config.shape = {.layers = 1,
                    .width = 16,
                    .heads = 4,
                    .ffn = 32,
                    .vocabulary = vocabulary.size(),
                    .positions = 20,
                    .labels = 2};
    config.method = Method::budgeted;
    config.labels = {"money", "sport"};
    config.gates = GateParameters{1, 4, {0.25, -0.25, 0.5, -0.5}, {unit_slope}};
    const std::vector<std::byte> weights(64);
    write_checkpoint(model_,
                     {config, vocabulary.to_text(), "", "", {{"w", DType::f32, {16}, weights}}});
    store_latency_table(model_,
                        {"a CPU",
                         "fp32",
                         1,
                         "2026-01-02",
                         {{0.25, 10, 1, 1}, {0.25, 20, 2, 2}, {1, 10, 4, 4}, {1, 20, 8, 8}}});
  }

  // Two rungs, of which the second is reached by one text in ten.
  void tune() {
    Policy policy;
    policy.temperatures = {{0.25, 1, 0}, {1, 1, 0}};
    policy.rungs = {{0.25, {}}, {1, {}}};
    LadderLevel level;
    level.thresholds = {0.9};
    level.reached = {1, 0.1};
    level.mean_budget = 0.35;
    policy.levels = {level};
    policy.promised = 0.99;
    policy.precision = "fp32";
    policy.date = "2026-01-02";
    policy.fitted_rows = policy.checked_rows = 1000;
    write_policy(model_, policy, std::nullopt);
  }

  Outcome plan(const Arguments& more) const {
    Arguments all = {"plan",     "--model",  model_.string(), "--machine", "a CPU",
                     "--tokens", "10",       "--cores",       "10",        "--documents",
                     "3.6e9",    "--budgets"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }

  TemporaryFolder folder_;
  std::filesystem::path model_ = folder_.path() / "model";
};

TEST_F(Plan, IsArithmeticOnTheTable) {
  const std::vector<Json> lines =
      json_lines(plan({"0.25,1", "--price-per-core-hour", "0.5", "--json"}));
  ASSERT_EQ(lines.size(), 2U);
  expect_keys(lines[0], {"budget", "documents", "tokens", "cores", "ms",
                         "documents_per_core_second", "core_hours", "hours", "cost"});
  EXPECT_EQ(lines[0]["budget"], 0.25);
  EXPECT_DOUBLE_EQ(lines[0]["core_hours"], 1000);
  EXPECT_DOUBLE_EQ(lines[0]["hours"], 100);
  EXPECT_DOUBLE_EQ(lines[0]["cost"], 500);
  EXPECT_DOUBLE_EQ(lines[1]["documents_per_core_second"], 250);
  EXPECT_FALSE(lines[0].contains("in_time")) << "nobody asked for a deadline";
}

TEST_F(Plan, ABudgetThatMissesTheDeadlineSaysWhatWouldKeepIt) {
  const Outcome outcome = plan({"0.25,1", "--deadline", "5d", "--json"});
  expect_success(outcome);
  const std::vector<Json> lines = json_lines(outcome);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["in_time"], true);
  EXPECT_EQ(lines[1]["in_time"], false);
  EXPECT_EQ(lines[1]["cores_needed"], 34);  // 4,000 core-hours in 120 hours
  EXPECT_EQ(lines[1]["budget_in_time"], 0.25);
  expect_holds(plan({"0.25,1", "--deadline", "5d"}).out, "no; 34 cores would, or budget 0.25");
}

TEST_F(Plan, ADeadlineThatNoBudgetKeepsIsUnreachable) {
  const Outcome outcome = plan({"0.25,1", "--deadline", "90m"});
  EXPECT_EQ(outcome.exit_code, 5);
  expect_holds(outcome.out, "no; 667 cores would");
  expect_holds(outcome.err,
               "no budget keeps 90m on 10 cores: 0.25, the fastest, takes 100 h there "
               "and needs 667 cores");
}

TEST_F(Plan, AutoIsItsRungsWeighedByWhoReachesThem) {
  expect_failure(plan({"auto"}), 2, "headroom tune");
  tune();
  EXPECT_DOUBLE_EQ(only_json_line(plan({"auto", "--json"}))["ms"], 1 + 0.1 * 4);
  const Outcome all = run({"plan", "--model", model_.string(), "--machine", "a CPU", "--documents",
                           "1e6", "--tokens", "10", "--json"});
  EXPECT_EQ(json_lines(all).back()["budget"], "auto") << "without --budgets it is there too";
}

TEST_F(Plan, DocumentsAreNoLongerThanWhatTheModelReads) {
  const Outcome outcome =
      run({"plan", "--model", model_.string(), "--machine", "a CPU", "--documents", "1000",
           "--tokens", "500", "--budgets", "1", "--json"});
  EXPECT_EQ(only_json_line(outcome)["tokens"], 20);
  expect_holds(outcome.err, "longer documents are truncated");
}

TEST_F(Plan, SavedAccuracyStandsBesideItsBudget) {
  SavedScores scores;
  scores.data = "held-out.csv";
  scores.date = "2026-01-02";
  BudgetScore score;
  score.accuracy = 0.875;
  score.examples = 8;
  score.parameters = 100;
  scores.curve = {score};
  write_scores(model_, scores);
  const std::vector<Json> lines = json_lines(plan({"0.25,1", "--json"}));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_FALSE(lines[0].contains("accuracy"));
  EXPECT_EQ(lines[1]["accuracy"], 0.875);
  expect_holds(plan({"0.25,1"}).out, "accuracy on held-out.csv");
}

TEST_F(Plan, WhatItCannotCountWithIsAUsageError) {
  expect_failure(plan({"1", "--deadline", "24"}), 2, "not a time such as 90m");
  expect_failure(plan({"1", "--deadline", "-1h"}), 2, "not a time such as 90m");
  expect_failure(plan({"1", "--price-per-core-hour", "0"}), 2, "not a number above 0");
  expect_failure(plan({"0"}), 2, "is not a budget");
  expect_failure(plan({"1", "--precision", "int8"}), 2,
                 "run headroom calibrate --model " + model_.string() + " --precision int8");
  expect_failure(run({"plan", "--model", model_.string(), "--documents", "many"}), 2, "many");
}

}  // namespace
}  // namespace headroom
