#include "experiments/nested/summary.h"

#include <gtest/gtest.h>

#include "experiments/summary_fixture.h"
#include "report/xml.h"
#include "support.h"

namespace headroom::experiments::nested {
namespace {
using testing::expect_error;
using testing::expect_in;
using testing::read_xml;
using testing::records;
using testing::run_without_arms;
using testing::shows;
using testing::with_class;

Json point(double budget, double accuracy) {
  return {{"budget", budget},   {"accuracy", accuracy},    {"active_heads", 0.5},
          {"active_ffn", 0.75}, {"macs_fraction", budget}, {"attention_macs", 1e6},
          {"model_macs", 2e6},  {"parameters", 3000000}};
}

Json arm_of(std::initializer_list<Json> points) {
  return {{"points", points}, {"seconds", 12.4}};
}

// One seed of a model with two FFN groups a layer.
Json run_of(uint64_t seed, const Json& arms, const std::string& task = "agnews") {
  Json run = run_without_arms(task, seed);
  run["shape"]["ffn_group"] = 8;
  run["shape"]["labels"] = 4;
  run["start"] = "pretrained tiny-bert";
  run["arms"] = arms;
  return run;
}

// Dense 0.93; nested `half` at budget 0.5 and 0.925 in full, with its order; post-hoc collapses.
Json arms_with(double half) {
  Json nested = arm_of({point(0.5, half), point(1.0, 0.925)});
  nested["order"] = {"h0", "f0", "h1", "f1", "f0", "f1", "h0", "h1"};
  nested["validation"] = {{{"budget", 0.5}, {"accuracy", 0.914}}};
  Json global = arm_of({point(0.5, 0.91)});
  global["validation"] = {{{"budget", 0.5}, {"accuracy", 0.911}}};
  return {{"dense", arm_of({point(1.0, 0.93)})},
          {"nested", nested},
          {"nested-global", global},
          {"post-hoc", arm_of({point(0.5, 0.3)})},
          {"fasttext",
           {{"points", {{{"budget", 1.0}, {"accuracy", 0.92}, {"bytes", 4e6}, {"ms", 0.012}}}}}}};
}

Json cell(int64_t batch, int64_t tokens, double budget, double ms) {
  return {{"batch", batch},  {"tokens", tokens},    {"budget", budget},
          {"median_ms", ms}, {"speedup", 8.0 / ms}, {"speedup_cap", 1 / budget}};
}

Json timing() {
  return {
      {"date", "2026-01-03"},
      {"threads", 1},
      {"machine", {{"cpu", "another CPU"}}},
      {"cells",
       {cell(1, 4, 0.5, 3.0), cell(1, 9, 0.5, 5.0), cell(1, 9, 1.0, 8.0), cell(32, 9, 0.5, 90.0)}}};
}

Page two_seeds() {
  return summarise(records({run_of(1, arms_with(0.920)), run_of(2, arms_with(0.922))}), timing());
}

bool holds(const std::string& page, const std::string& fragment) {
  return page.find(fragment) != std::string::npos;
}

TEST(NestedSummary, ThePageSaysWhereFrom) {
  expect_in(two_seeds().text,
            {"headroom reproduce nested --task agnews --init models/tiny-bert --seeds 1,2",
             "Seeds: 1, 2", "a CPU", "2026-01-02", "Start: pretrained tiny-bert",
             "FFN 16 in groups of 8", "Seconds of training per seed: dense 12, nested 12"});
}

TEST(NestedSummary, ThePageOfAQuickRunSaysSo) {
  Json run = run_of(1, arms_with(0.92));
  run["options"] = " --quick";
  expect_in(summarise(records({run}), Json::object()).text,
            {"--init models/tiny-bert --seeds 1 --quick`"});
}

TEST(NestedSummary, EveryArmHasARowWithItsInterval) {
  expect_in(two_seeds().text, {"| dense | - | 93.00 ± 0.00 |",
                               "| nested, uniform (one checkpoint) | 92.10 ± 1.27 | 92.50 ± 0.00 |",
                               "| fastText | - | 92.00 ± 0.00 |"});
}

TEST(NestedSummary, DenseAndFastTextAreComparedAtTheirBudgetOne) {
  const Json differences = two_seeds().results.at("differences");
  EXPECT_NEAR(differences.at("dense").at("0.5").at("mean").get<double>(), -0.009, 1e-12);
  EXPECT_NEAR(differences.at("fasttext").at("0.5").at("mean").get<double>(), 0.001, 1e-12);
  EXPECT_FALSE(differences.contains("nested"));
}

TEST(NestedSummary, AllocationsAreChosenOnValidationRows) {
  const Page summary = two_seeds();
  expect_in(summary.text, {"| nested, global ranking (one checkpoint) | 91.10 ± 0.00 |"});
  EXPECT_EQ(summary.results.at("validation").size(), 2U);
}

TEST(NestedSummary, CostNamesBytesInBothPrecisions) {
  expect_in(two_seeds().text,
            {"| 0.5 | 50.0 % | 75.0 % | 2.00 M | 50.0 % | 3.00 M | 12.00 | 6.00 |",
             "fastText reads whole texts; it takes 4.00 MB and 0.012 ms a text."});
}

TEST(NestedSummary, PlotsAreWellFormedAndOnThePage) {
  const Page summary = two_seeds();
  for (const std::string& svg :
       {summary.svg("accuracy.svg"), summary.svg("accuracy-time.svg"), summary.svg("alive.svg")}) {
    EXPECT_GT(read_xml(svg).size(), 10U);
  }
  expect_in(summary.text, {"(accuracy.svg)", "(accuracy-time.svg)", "(alive.svg)"});
}

TEST(NestedSummary, FastTextAndDenseAreLinesAcrossTheAccuracyPlot) {
  const std::string svg = two_seeds().svg("accuracy.svg");
  EXPECT_TRUE(shows(svg, "fastText (0.012 ms)"));
  EXPECT_TRUE(shows(svg, "level of dense"));
  EXPECT_EQ(with_class(svg, "reference").size(), 4U) << "two lines and their keys";
}

TEST(NestedSummary, AnArmThatCollapsesDoesNotFlattenTheOthers) {
  const std::string svg = two_seeds().svg("accuracy.svg");
  EXPECT_TRUE(shows(svg, "pruned after training, no adaptation"));
  EXPECT_FALSE(shows(svg, "40%"));
}

TEST(NestedSummary, TimeIsThatOfOneTextOfTheLongestLength) {
  const std::string svg = two_seeds().svg("accuracy-time.svg");
  EXPECT_NE(svg.find("nested, uniform (one checkpoint): 92.10% at 5.0"), std::string::npos) << svg;
  EXPECT_NE(svg.find("dense: 93.00% at 8.0"), std::string::npos) << svg;
  EXPECT_EQ(svg.find(" at 3.0"), std::string::npos) << "four tokens";
}

TEST(NestedSummary, TheDefaultArmIsOurs) {
  Json run = run_of(1, arms_with(0.92));
  run["default_arm"] = "nested-global";
  const Page summary = summarise(records({run}), timing());
  EXPECT_TRUE(holds(summary.text, "| nested-global minus | 0.5 |")) << summary.text;
  EXPECT_TRUE(summary.svg("alive.svg").empty()) << "it holds no order";
  run["default_arm"] = "best";
  expect_error(ErrorCode::bad_data, "default_arm is \"best\"",
               [&] { summarise(records({run}), Json::object()); });
}

TEST(NestedSummary, OneSeedHasNoIntervals) {
  const Page summary = summarise(records({run_of(1, arms_with(0.92))}), Json::object());
  EXPECT_FALSE(holds(summary.text, "±")) << summary.text;
  expect_in(summary.text, {"One seed", "| dense | -1.00 | -0.50 |"});
}

TEST(NestedSummary, ArmsThatNoRunHoldsAreNamed) {
  const std::string page = two_seeds().text;
  const std::string last = page.substr(page.find("## Not run"));
  EXPECT_EQ(last,
            "## Not run\n\ndense, where the arms below begin, nested, whole layers dropped (one "
            "checkpoint), nested without "
            "distillation (one checkpoint), P1 head gates (one checkpoint), one specialist per "
            "budget, nested's steps divided\n");
}

TEST(NestedSummary, AnArmMissingInOneRunIsEstimatedFromTheOthers) {
  Json second = arms_with(0.922);
  second.erase("nested-global");
  const Json results =
      summarise(records({run_of(1, arms_with(0.92)), run_of(2, second)}), Json::object()).results;
  EXPECT_EQ(results.at("arms").at("nested-global").at("0.5").at("seeds").get<int>(), 1);
  EXPECT_EQ(results.at("arms").at("nested").at("0.5").at("seeds").get<int>(), 2);
}

TEST(NestedSummary, WithoutOursThePageStillTellsTheRest) {
  const Json arms = {{"dense", arm_of({point(1.0, 0.93)})}};
  const Page summary = summarise(records({run_of(1, arms)}), timing());
  EXPECT_TRUE(holds(summary.text, "| dense | 93.00 |")) << summary.text;
  EXPECT_FALSE(summary.svg("accuracy.svg").empty());
  EXPECT_TRUE(summary.svg("accuracy-time.svg").empty());
  EXPECT_FALSE(holds(summary.text, "accuracy-time.svg"));
  EXPECT_FALSE(holds(summary.text, "Paired differences"));
}

TEST(NestedSummary, NothingTimedIsNoTimePlot) {
  const Page summary = summarise(records({run_of(1, arms_with(0.92))}), Json::object());
  EXPECT_TRUE(summary.svg("accuracy-time.svg").empty());
  EXPECT_FALSE(holds(summary.text, "Measured time"));
}

TEST(NestedSummary, NoRunsIsAUsageError) {
  expect_error(ErrorCode::usage, "no runs", [] { summarise(records({}), Json::object()); });
}

}  // namespace
}  // namespace headroom::experiments::nested
