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

Verdict verdict(const Runs& runs, int number) {
  const Claim& claim = claim_numbered(number);
  for (const Finding& finding : judge(runs, "adaptive", Json::object())) {
    if (finding.claim != number) continue;
    const Finding* found[] = {&finding};
    std::vector<Verdict> verdicts;
    const std::vector<std::vector<Tails>> all = corrected_tails(claim, found);
    for (const Tails& tails : all[0]) {
      verdicts.push_back(verdict_of(tails));
    }
    return combined(verdicts, claim.combination);
  }
  return Verdict::inconclusive;
}

TEST(AdaptiveClaims, FollowFromIntervalsOverSeeds) {
  const Runs runs = three_runs();
  EXPECT_EQ(verdict(runs, 8), Verdict::reproduced) << "not worse than dense by 0.3 points";
  EXPECT_EQ(verdict(runs, 9), Verdict::partly) << "few heads; what sets their number was not run";
  EXPECT_EQ(verdict(runs, 12), Verdict::partly) << "g_d matters, f_o is open";
  EXPECT_EQ(verdict(runs, 13), Verdict::reproduced);
  EXPECT_EQ(verdict(runs, 14), Verdict::not_reproduced) << "entropy stays without the schedule";
  EXPECT_EQ(verdict(runs, 15), Verdict::inconclusive) << "not run";
}

TEST(AdaptiveClaims, ControlsAndUnequalRatesStandBesideTheDifference) {
  Json run = run_of_seed(1);
  run["arms"]["static"] = run["arms"]["dense"];
  run["arms"]["dense"]["rate"] = 0.0005;
  const std::string found = judge(records({run}), "adaptive", Json::object())[0].found;
  expect_in(found, {"; controls minus dense: static 0.00;",
                    "; the rate that validated best differs: seed 1 dense 0.0005, adaptive 0.001"});
  const std::string equal = judge(three_runs(), "adaptive", Json::object())[0].found;
  EXPECT_EQ(equal.find("; "), std::string::npos) << equal;
}

TEST(AdaptiveClaims, OneSeedProvesNothing) {
  EXPECT_EQ(verdict(records({run_of_seed(1)}), 8), Verdict::inconclusive);
}

TEST(AdaptiveClaims, MemoryIsJudgedWithinOneExecutor) {
  Runs runs = three_runs();
  EXPECT_EQ(verdict(runs, 11), Verdict::inconclusive) << "all heads at once against one at a time";
  for (Record& run : runs) run.arm("adaptive").memory->all_heads_bytes = 1.0001e6;
  EXPECT_EQ(verdict(runs, 11), Verdict::not_reproduced);
}

TEST(AdaptiveClaims, AblationsOfMoreHeadsDecideNothing) {
  Runs runs = three_runs();
  for (Record& run : runs) {
    for (const char* arm : {"fixed-share", "random-heads"}) {
      run.arm(arm).points.front().active_heads = 0.6;
    }
  }
  EXPECT_EQ(verdict(runs, 12), Verdict::inconclusive);
}

TEST(AdaptiveSummary, SaysWhichArmsCollapsed) {
  Runs runs = three_runs();
  runs[1].arm("random-heads").points.front().accuracy = 0.25;
  runs[2].arm("fixed-share").note = "trained at another rate";
  expect_in(summarise(runs, Json::object()).text,
            {"2 (25.0 %), 3 (80.2 %): collapsed: below 90 % of dense",
             "**retrained without f_o, as many heads**, seed 3: trained at another rate."});
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
