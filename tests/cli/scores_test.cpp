// `eval`, `bench` and `reproduce` on a real checkpoint.
#include <gtest/gtest.h>

#include "cli/tiny_model.h"

namespace headroom {
namespace {
using namespace testing;

class Scores : public TrainingHalf {};

Outcome evaluate(const Arguments& more, const ProcessInput& given = {}) {
  return run(joined({"eval", "--model", tiny_model().model(), "--threads", "1"}, more), given);
}

Outcome evaluate_rows(const std::string& rows) {
  const TemporaryFolder folder;
  return evaluate({"--data", "csv:" + folder.write("rows.csv", rows).string()});
}

Outcome bench(const Arguments& more) {
  return run(joined({"bench", "--model", tiny_model().model()}, more));
}

TEST_F(Scores, HelpListsTheOptions) {
  const std::vector<Arguments> verbs = {
      {"eval", "--model", "--data", "--budgets", "--engine", "--threads", "--json"},
      {"bench", "--model", "--budgets", "--batch", "--tokens", "--threads", "--precision",
       "--peer"},
      {"reproduce", "--task", "--seeds", "--quick", "--out"}};
  for (const Arguments& verb : verbs) {
    const Outcome help = run({verb[0], "--help"});
    expect_success(help);
    for (const std::string& option : verb) expect_holds(help.out, option);
  }
}

TEST_F(Scores, EvalHasTheKeysThatToolsRelyOnAndOneLineABudget) {
  const Outcome outcome = evaluate({"--data", tiny_model().data(), "--budgets", "0.5,1", "--json"});
  expect_success(outcome);
  const std::vector<Json> lines = json_lines(outcome);
  ASSERT_EQ(lines.size(), 2U) << transcript(outcome);
  for (const Json& line : lines) {
    expect_keys(line, {"budget", "accuracy", "examples", "active_heads", "attention_macs",
                       "model_macs", "model_macs_fraction", "parameters"});
    EXPECT_EQ(line["examples"], 150);
  }
  EXPECT_EQ(lines[0]["budget"], 0.5);
  EXPECT_EQ(lines[0]["active_heads"], 0.5);
  EXPECT_LT(lines[0]["model_macs_fraction"], 1.0);
  EXPECT_EQ(lines[1]["model_macs_fraction"], 1.0);
}

TEST_F(Scores, EvalWithoutJsonIsATable) {
  const Outcome outcome = evaluate({"--data", tiny_model().data()});
  expect_success(outcome);
  EXPECT_TRUE(outcome.out.starts_with("budget  accuracy")) << outcome.out;
}

TEST_F(Scores, EvalRefusesWhatIsNoBudgetOrNotInThisVersion) {
  expect_failure(evaluate({"--data", tiny_model().data(), "--budgets", "0.5,1.5"}), 2,
                 "1.5 is not a budget");
  expect_failure(evaluate({"--data", tiny_model().data(), "--engine", "other"}), 2, "--engine");
  expect_failure(
      evaluate({"--data", tiny_model().data(), "--engine", "native", "--device", "cuda"}), 2,
      "--device cuda is not supported; this version has: cpu");
}

TEST_F(Scores, EvalOfBadDataNamesTheFileAndTheLine) {
  expect_failure(evaluate({"--data", "csv:nowhere.csv"}), 2, "nowhere.csv");
  expect_failure(evaluate_rows(""), 3, "no rows");
  expect_failure(evaluate_rows("sport,goal\nmoney,bank,price\n"), 3, "line 2: expected 2 columns");
  expect_failure(evaluate_rows("sport,goal\nmusic,song\n"), 3, "line 2: unknown label \"music\"");
}

TEST_F(Scores, EvalErrorsAreOneJsonLineWithJson) {
  expect_json_error(evaluate({"--data", "csv:nowhere.csv", "--json"}), 2, "usage", "nowhere.csv");
}

TEST_F(Scores, EvalTakesDataAndBudgetsFromTheEnvironmentAndTheFlagWins) {
  const ProcessInput given{
      "", {{"HEADROOM_DATA_SPEC", tiny_model().data()}, {"HEADROOM_BUDGETS", "0.5"}}};
  EXPECT_EQ(only_json_line(evaluate({"--json"}, given))["budget"], 0.5);
  EXPECT_EQ(only_json_line(evaluate({"--json", "--budgets", "1"}, given))["budget"], 1.0);
}

TEST_F(Scores, BenchHasTheKeysThatToolsRelyOnAndOneLineACell) {
  const Outcome outcome = bench({"--budgets", "0.5,1", "--batch", "1,2", "--tokens", "8",
                                 "--rounds", "3", "--warmup", "1", "--json"});
  expect_success(outcome);
  const std::vector<Json> lines = json_lines(outcome);
  ASSERT_EQ(lines.size(), 4U) << transcript(outcome);
  for (const Json& line : lines) {
    expect_keys(line, {"engine", "budget", "batch", "tokens", "threads", "precision", "median_ms",
                       "p10_ms", "p90_ms", "speedup", "macs_fraction", "tokens_per_second"});
    if (line["budget"] == 1.0) {
      EXPECT_EQ(line["speedup"], 1.0);
    }
  }
}

TEST_F(Scores, BenchRefusesWhatItCannotDo) {
  expect_failure(bench({"--precision", "fp64"}), 2, "fp64");
  expect_failure(bench({"--precision", "bf16", "--engine", "torch"}), 2,
                 "--precision bf16 is not supported; this version has: fp32");
  expect_failure(bench({"--batch", "0"}), 2, "--batch \"0\"");
  expect_failure(bench({"--tokens", "4000"}), 2, "--tokens 4000");
}

TEST_F(Scores, ReproduceNamesTheExperimentsOfThisVersion) {
  const TemporaryFolder folder;
  expect_failure(run({"reproduce", "other", "--task", "synthetic", "--out", folder.path()}), 2,
                 "this version has: budgeted, nested");
  expect_failure(run({"reproduce", "nested", "--task", "synthetic", "--out", folder.path()}), 2,
                 "agnews, imdb, dbpedia or banking77");
}

}  // namespace
}  // namespace headroom
