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
  expect_in(summary.text, {"another CPU", "Seeds: 1, 2", "+2.000 ±", "| better |", "3000",
                           "## Not run", "efficient"});
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
  expect_in(summary.text, {"nats per token", "+0.030", "better by more than the margin"});
}

TEST(VariantsSummary, WithinTheMarginIsLevelAndOneSeedDecidesNothing) {
  const Json first = run_of("multi30k", "bleu", 1, 0.001);
  const Json second = run_of("multi30k", "bleu", 2, -0.001);
  expect_in(summarise(records({first, second}), timing).text, {"BLEU", "| level |"});
  expect_in(summarise(records({first}), timing).text, {"| one seed |"});
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
