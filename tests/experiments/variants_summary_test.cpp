#include "experiments/variants/summary.h"

#include <gtest/gtest.h>

#include "experiments/summary_fixture.h"
#include "support.h"

namespace headroom::experiments::variants {
namespace {
using testing::expect_error;
using testing::expect_in;
using testing::records;
using testing::run_without_arms;

Json arm(const char* measure, double value, double attention_parameters) {
  Json point = {{"budget", 1.0},         {"accuracy", 0.5},
                {"loss", 1.5},           {"model_macs", 2e6},
                {"attention_macs", 1e6}, {"training_macs", 6e6},
                {"parameters", 5000.0},  {"attention_parameters", attention_parameters}};
  point[measure] = value;
  return {{"points", Json::array({point})}, {"validation", Json::array({point})}};
}

// Super gains `gain` over a Standard that differs from seed to seed.
Json run_of(const char* task, const char* measure, uint64_t seed, double gain) {
  const double standard = 0.7 + 0.01 * static_cast<double>(seed);
  Json run = run_without_arms(task, seed);
  run["recipe"] = Json::object();
  run["arms"]["standard"] = arm(measure, standard, 4000);
  run["arms"]["super"] = arm(measure, standard + gain, 3000);
  return run;
}

Json cell(const char* kind, double ratio) {
  return {{"width", 64},      {"tokens", 128},          {"attention", kind},
          {"median_ms", 1.5}, {"over_standard", ratio}, {"macs_over_standard", 1.0}};
}

const Json timing = {{"date", "2026-01-03"},
                     {"machine", {{"cpu", "another CPU"}}},
                     {"cells", Json::array({cell("standard", 1.0), cell("super", 0.9)})}};

TEST(VariantsSummary, GainsArePairedBySeed) {
  const Page summary = summarise(
      records({run_of("agnews", "accuracy", 1, 0.021), run_of("agnews", "accuracy", 2, 0.019)}),
      timing);
  const Json& gain = summary.results.at("arms").at("super").at("gain_over_standard");
  EXPECT_NEAR(gain.at("mean").get<double>(), 2.0, 1e-9) << "in points";
  EXPECT_NEAR(gain.at("deviation").get<double>(), 0.1414, 1e-3) << "not that of the accuracies";
  expect_in(summary.text,
            {"another CPU", "Seeds: 1, 2", "+2.000 ±", "3000", "## Not run", "efficient"});
}

TEST(VariantsSummary, SaysWhatTestRowsAddWhereTheyAreStored) {
  Json run = run_of("agnews", "accuracy", 1, 0.02);
  expect_in(summarise(records({run}), timing).text, {"All seeds share one test set"});
  run["arms"]["standard"]["points"][0]["correct"] = "8";
  run["arms"]["super"]["points"][0]["correct"] = "c";
  // Of three rows one is right instead of wrong: 100 points times sqrt(1 / 9) times t = 4.303.
  expect_in(summarise(records({run}), timing).text, {"± by test rows", "| 143.433 |"});
}

TEST(VariantsSummary, ALowerLossIsAGain) {
  const Page summary = summarise(
      records({run_of("shakespeare", "loss", 1, -0.03), run_of("shakespeare", "loss", 2, -0.03)}),
      timing);
  expect_in(summary.text, {"nats per token", "+0.030"});
}

TEST(VariantsSummary, LeavesVerdictsToTheOneRule) {
  const Page summary = summarise(
      records({run_of("multi30k", "bleu", 1, 0.1), run_of("multi30k", "bleu", 2, 0.1)}), timing);
  expect_in(summary.text, {"BLEU", "[the claims](../README.md)"});
  for (const char* verdict : {"verdict |", "better by more", "level"}) {
    EXPECT_EQ(summary.text.find(verdict), std::string::npos) << verdict;
  }
}

TEST(VariantsSummary, SaysHowManyRunsWereBestAtTheLastStep) {
  Json run = run_of("agnews", "accuracy", 1, 0.02);
  EXPECT_EQ(summarise(records({run}), timing).text.find("last step"), std::string::npos);
  run["arms"]["standard"].update({{"steps", 100}, {"best_step", 50}});
  run["arms"]["super"].update({{"steps", 100}, {"best_step", 100}});
  expect_in(summarise(records({run}), timing).text,
            {"1 of 2 runs validated best at the last step."});
  run["arms"]["standard"]["best_step"] = 100;
  expect_in(summarise(records({run}), timing).text,
            {"2 of 2 runs validated best at the last step. More steps may change these numbers."});
}

TEST(VariantsSummary, NamesWhatTheDataAreWhereTheNameSaysMore) {
  expect_in(summarise(records({run_of("cifar10", "accuracy", 1, 0)}), timing).text,
            {"- Data: 20,000 training images"});
}

TEST(VariantsSummary, AFlagStandsBelowTheTitle) {
  Page page = summarise(records({run_of("agnews", "accuracy", 1, 0)}), timing);
  flag_afterwards(page, "its rate is the second one");
  EXPECT_TRUE(
      page.text.starts_with("# Kinds of attention: agnews\n\n† Chosen when test results "
                            "were known: its rate is the second one.\n\nMade by"))
      << page.text;
}

TEST(VariantsSummary, DrawsTheCrossoversAndTheMeasuredTime) {
  const Json run = run_of("agnews", "accuracy", 1, 0.01);
  const Page summary = summarise(records({run}), timing);
  for (const char* file : {"scores.svg", "macs.svg", "latency.svg"}) {
    EXPECT_TRUE(summary.svg(file).starts_with("<svg"));
  }
  expect_in(summary.svg("macs.svg"), {"n = d", "n = 2d"});
  EXPECT_TRUE(summarise(records({run}), Json::object()).svg("latency.svg").empty());
}

TEST(VariantsSummary, NoRunsIsAUsageError) {
  expect_error(ErrorCode::usage, "no runs", [] { summarise(records({}), Json::object()); });
}

}  // namespace
}  // namespace headroom::experiments::variants
