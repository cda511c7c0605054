// The page of the adaptive experiment from made-up runs.
#include "experiments/adaptive/summary.h"

#include <gtest/gtest.h>

#include "experiments/adaptive/claims.h"
#include "experiments/adaptive/findings.h"
#include "experiments/summary_fixture.h"

namespace headroom::experiments::adaptive {
namespace {
using testing::expect_in;
using testing::records;
using testing::run_without_arms;

Json point(double accuracy, double heads) {
  return {{"budget", 1.0},         {"accuracy", accuracy}, {"s_mean", heads - 0.05},
          {"active_heads", heads}, {"macs_fraction", 0.8}, {"published_fraction", 0.95},
          {"parameters", 1000}};
}

Json arm(double accuracy, double heads) {
  return {{"points", Json::array({point(accuracy, heads)})},
          {"validation", Json::array({{{"budget", 1.0}, {"accuracy", accuracy}}})},
          {"rate", 0.001}};
}

Json line(int step, double entropy, double share) {
  return {{"step", step},           {"validation", 0.9},      {"s_mean", share},    {"s@0", share},
          {"q_entropy@0", entropy}, {"z_entropy@0", entropy}, {"s_mean_train", 0.5}};
}

// One layer of four heads, two classes.
Json run_of_seed(uint64_t seed) {
  const double luck = 0.0005 * static_cast<double>(seed);
  Json run = run_without_arms("agnews", seed);
  run["steps"] = 100;
  run["labels"] = {"World", "Sports"};
  run["shape"]["layers"] = 1;
  run["shape"]["heads"] = 4;
  run["shape"]["labels"] = 2;
  Json adaptive = arm(0.901 + luck, 0.4);
  adaptive["curve"] = Json::array({line(10, 1.2, 0.7), line(100, 0.2 + luck, 0.3)});
  adaptive["memory"] = {{"dense_bytes", 2e6}, {"chosen_bytes", 1e6 + static_cast<double>(seed)}};
  adaptive["by_class"] = {{"mean", {{0.2, 0.4}}}, {"deviation", {{0.1, 0.1}}}};
  const Json correlation = {{"value", 0.2 + luck}, {"low", 0.1}, {"high", 0.3}};
  adaptive["difficulty"] = {{"share_and_loss", correlation},
                            {"share_and_loss_at_equal_length", correlation},
                            {"thirds", {{{"s_mean", 0.3}}, {{"s_mean", 0.4}}, {{"s_mean", 0.5}}}}};
  Json constant = arm(0.9, 0.4);
  constant["curve"] = Json::array({line(10, 1.2, 0.7), line(100, 1.2 + luck, 0.3)});
  run["arms"] = {{"dense", arm(0.9 + luck * 1.1, 1.0)},
                 {"adaptive", adaptive},
                 {"constant-tau", constant},
                 {"fixed-share", arm(seed % 2 == 0 ? 0.901 : 0.903, 0.4)},
                 {"random-heads", arm(0.8 + luck, 0.4)}};
  return run;
}

Runs three_runs() {
  return records({run_of_seed(1), run_of_seed(2), run_of_seed(3)});
}

std::string verdict(int number) {
  for (const Finding& finding : judge(three_runs(), "adaptive", Json::object())) {
    if (finding.claim == number) return finding.words;
  }
  return "no such claim";
}

TEST(AdaptiveClaims, FollowFromIntervalsOverSeeds) {
  EXPECT_EQ(verdict(8), "holds: better than dense");
  EXPECT_EQ(verdict(9), "holds");
  EXPECT_EQ(verdict(12), "retrained, which is fair: f_o not shown to matter, g_d matters");
  EXPECT_EQ(verdict(13), "holds");
  EXPECT_EQ(verdict(14), "forced by the schedule: without it entropy does not surely fall");
  EXPECT_EQ(verdict(15), "not run");
}

TEST(AdaptiveClaims, OneSeedProvesNothing) {
  const Finding finding = judge(records({run_of_seed(1)}), "adaptive", Json::object()).front();
  EXPECT_EQ(finding.words, "open: the interval has both signs");
}

TEST(AdaptiveSummary, ShowsArmsPlotsAndWhatWasNotRun) {
  const Page summary = summarise(three_runs(), Json::object());
  expect_in(summary.text,
            {"# Heads chosen per input: agnews", "adaptive, end to end", "share.svg", "entropy.svg",
             "difficulty.svg", "classes.svg", "## Not run", "dense, 1 head"});
  EXPECT_EQ(summary.results["claims"].size(), 8U);
  for (const char* file :
       {"accuracy.svg", "share.svg", "entropy.svg", "difficulty.svg", "classes.svg"}) {
    EXPECT_FALSE(summary.svg(file).empty()) << file;
  }
  EXPECT_TRUE(summary.svg("attention.svg").empty()) << "no maps were stored";
}

TEST(AdaptiveSummary, TimeIsToldBesideWhatMacsPromise) {
  const Json timing = {{"machine", {{"cpu", "a CPU"}}},
                       {"date", "2026-01-01"},
                       {"arms",
                        {{"adaptive",
                          {{"batch", 32},
                           {"dense_ms", 10.0},
                           {"chosen_ms", 8.0},
                           {"time_saved", 0.2},
                           {"macs_saved", 0.25},
                           {"realised", 0.8}}}}}};
  const Page summary = summarise(three_runs(), timing);
  expect_in(summary.text, {"80 %"});
}

TEST(AdaptiveSummary, CapsAreComparedWithTheUncappedDenseModel) {
  Runs runs = three_runs();
  for (Record& run : runs) {
    Point capped = run.arm("adaptive").points.front();
    capped.budget = 0.375;
    capped.active_heads = 0.375;
    capped.accuracy = *run.arm("dense").points.front().accuracy - 0.002;
    run.arm("adaptive").points.push_back(capped);
  }
  expect_in(summarise(runs, Json::object()).text,
            {"| 0.375 | 89.91 ± 0.14 | -0.20 ± 0.00 | 37.5 ± 0.0 | 80.0 ± 0.0 |"});
}

}  // namespace
}  // namespace headroom::experiments::adaptive
