// Records of seeds: written and read by one list of keys, and never mixed.
#include "experiments/record/record.h"

#include <gtest/gtest.h>

#include "base/files/file.h"
#include "experiments/record/runs.h"
#include "experiments/summary/arm_plots.h"
#include "support.h"

namespace headroom::experiments {
namespace {
using testing::expect_error;
namespace fs = std::filesystem;

Json a_run() {
  return {{"task", "agnews"},
          {"seed", 7},
          {"shape",
           {{"layers", 1},
            {"width", 8},
            {"heads", 2},
            {"ffn", 16},
            {"max_tokens", 9},
            {"vocabulary", 20},
            {"labels", 3}}},
          {"arms",
           {{"budgeted",
             {{"points", {{{"budget", 1.0}, {"accuracy", 0.9}}, {{"budget", 0.5}}}},
              {"validation", {{{"budget", 0.5}, {"accuracy", 0.7}}}},
              {"gates", {{"offset", {0.1, 0.2}}, {"slope", {0.5}}}}}},
            {"nested", {{"points", Json::array()}, {"order", {"h0", "f0", "f0", "h0"}}}}}}};
}

Record record(const Json& json = a_run()) {
  return parse_record(json, "seed-7.json");
}

TEST(Records, TheShapeIsTheModels) {
  const ModelShape shape = shape_of(record());
  EXPECT_EQ(shape.heads, 2);
  EXPECT_EQ(shape.positions, 9) << "max_tokens";
  EXPECT_EQ(shape.labels, 3);
}

TEST(Records, GatesAndOrderAreThoseOfTheArm) {
  EXPECT_EQ(gates_of(record(), "budgeted").offset, (std::vector<double>{0.1, 0.2}));
  EXPECT_EQ(order_of(record(), "nested").groups, 2);
}

TEST(Records, WhatIsMissingIsNamed) {
  expect_error(ErrorCode::bad_data, "gates of arm nested", [&] { gates_of(record(), "nested"); });
  expect_error(ErrorCode::bad_data, "arm dense", [&] { order_of(record(), "dense"); });
  expect_error(ErrorCode::bad_data, "machine of seed 7", [&] { machine_of(record()); });
}

TEST(Records, WhatIsWrongIsToldWithFileAndKey) {
  const auto refused = [](const std::string& pointer, const Json& value, const char* complaint) {
    Json run = a_run();
    run[Json::json_pointer(pointer)] = value;
    expect_error(ErrorCode::bad_data, complaint, [&] { record(run); });
    expect_error(ErrorCode::bad_data, "seed-7.json", [&] { record(run); });
  };
  refused("/shape/heads", -2, "shape.heads is -2, expected a positive integer");
  refused("/seed", "one", "seed is \"one\", expected an integer");
  refused("/arms/budgeted/points/1/accuracy", "high",
          "arms.budgeted.points[1].accuracy is \"high\", expected a number");
  refused("/arms/budgeted/gates/slope/0", true, "arms.budgeted.gates.slope[0] is true");
  refused("/arms/nested/order", "h0", "arms.nested.order is \"h0\", expected a list");
  Json run = a_run();
  run["arms"]["nested"].erase("points");
  expect_error(ErrorCode::bad_data, "arms.nested.points is missing", [&] { record(run); });
  expect_error(ErrorCode::bad_data, "a JSON object", [] { record(Json::array()); });
}

TEST(Records, APointIsFoundByItsBudget) {
  const Record run = record();
  ASSERT_NE(find_point(run, "budgeted", 1.0), nullptr);
  EXPECT_EQ(find_point(run, "budgeted", 0.25), nullptr);
  EXPECT_EQ(find_point(run, "dense", 1.0), nullptr);
  EXPECT_EQ(find_point(run, "nested", 0.5, &ArmRecord::validation), nullptr);
}

TEST(Records, ValuesComeFromTheSeedsThatHaveThem) {
  const Runs runs = {record(), record()};
  EXPECT_EQ(values_of(runs, "budgeted", 1.0, &Point::accuracy), (std::vector<double>{0.9, 0.9}));
  EXPECT_TRUE(values_of(runs, "budgeted", 0.5, &Point::accuracy).empty());
  EXPECT_EQ(values_of(runs, "budgeted", 0.5, &Point::accuracy, &ArmRecord::validation).size(), 2U);
}

TEST(Records, BudgetsAreSortedAndSingle) {
  EXPECT_EQ(budgets_of({record(), record()}), (std::vector<double>{0.5, 1.0}));
}

TEST(Records, ACurveIsReadByFieldOrOverLayers) {
  const CurvePoint point = parse_curve_point(
      {{"step", 3}, {"stage", "adaptive"}, {"s_mean", 0.5}, {"s@0", 0.2}, {"s@1", 0.4}}, "log");
  EXPECT_EQ(point.mean("s_mean"), 0.5);
  EXPECT_NEAR(point.mean("s").value(), 0.3, 1e-12);
  EXPECT_FALSE(point.mean("tau").has_value());
}

// The stored evidence: every key of every file is read, and written again as it was.
TEST(Records, StoredOnesAreWrittenAsTheyWereRead) {
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(HEADROOM_SOURCE_DIR "/docs/results")) {
    if (!entry.path().filename().string().starts_with("seed-")) continue;
    ++files;
    const SortedJson stored = SortedJson::parse(read_file(entry.path(), ErrorCode::bad_data));
    const SortedJson written = SortedJson::parse(to_json(read_record(entry.path())).dump());
    EXPECT_EQ(SortedJson::diff(stored, written).dump(), "[]") << entry.path();
  }
  EXPECT_GT(files, 80);
}

TEST(Records, AnArmWithAnOrderOrGatesHasAMapOfWhenItsUnitsComeAlive) {
  Record run = record();
  EXPECT_FALSE(alive_map(run, "nested").empty());
  EXPECT_FALSE(alive_map(run, "budgeted").empty()) << "it has gates";
  EXPECT_EQ(alive_map(run, "dense"), "") << "no such arm";
  run.arm("nested").order.clear();
  EXPECT_EQ(alive_map(run, "nested"), "");
}

// Of a program that stores recipes.
Record with_recipe(double rate) {
  Record run = record();
  run.experiment = "nested";
  run.commit = "0123456789ab";
  run.recipe = {{"dense_rate", rate}, {"batch", 64}};
  return run;
}

TEST(Recipes, ThatDifferAreNotSummarisedTogether) {
  require_one_recipe({with_recipe(0.001), with_recipe(0.001)});
  expect_error(ErrorCode::bad_data, "dense_rate is 0.002 there and 0.001 here", [] {
    require_one_recipe({with_recipe(0.001), with_recipe(0.002)});
  });
  Record other = with_recipe(0.001);
  other.task = "imdb";
  expect_error(ErrorCode::bad_data, "nested on imdb", [&] {
    require_one_recipe({with_recipe(0.001), other});
  });
}

TEST(Recipes, NotStoredGoWithEachOtherAlone) {
  Record old = with_recipe(0.001);
  old.commit.clear();
  Record older = old;
  older.recipe = {{"batch", 64}};
  require_one_recipe({old, older});
  expect_error(ErrorCode::bad_data, "before recipes were stored", [&] {
    require_one_recipe({with_recipe(0.001), old});
  });
  expect_error(ErrorCode::usage, "--summary-only",
               [&] { require_extendable(old, with_recipe(0.001), "runs/seed-1.json"); });
}

}  // namespace
}  // namespace headroom::experiments
