#include "experiments/runs.h"

#include <gtest/gtest.h>

#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;

Json a_run() {
  return {{"shape",
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

TEST(Runs, TheShapeIsTheModels) {
  const ModelShape shape = shape_of_run(a_run());
  EXPECT_EQ(shape.heads, 2);
  EXPECT_EQ(shape.positions, 9) << "max_tokens";
  EXPECT_EQ(shape.labels, 3);
}

TEST(Runs, GatesAndOrderAreThoseOfTheArm) {
  EXPECT_EQ(gates_of_run(a_run(), "budgeted").offset, (std::vector<double>{0.1, 0.2}));
  EXPECT_EQ(order_of_run(a_run(), "nested").groups, 2);
}

TEST(Runs, WhatIsMissingIsNamed) {
  Json run = a_run();
  expect_error(ErrorCode::bad_data, "gates is missing", [&] { gates_of_run(run, "nested"); });
  expect_error(ErrorCode::bad_data, "dense is missing", [&] { order_of_run(run, "dense"); });
  run["shape"]["heads"] = -2;
  expect_error(ErrorCode::bad_data, "heads is -2", [&] { shape_of_run(run); });
}

TEST(Runs, APointIsFoundByItsBudget) {
  const Json run = a_run();
  ASSERT_NE(find_point(run, "budgeted", 1.0), nullptr);
  EXPECT_EQ(find_point(run, "budgeted", 0.25), nullptr);
  EXPECT_EQ(find_point(run, "dense", 1.0), nullptr);
  EXPECT_EQ(find_point(run, "nested", 0.5, "validation"), nullptr);
}

TEST(Runs, ValuesComeFromTheSeedsThatHaveThem) {
  const Runs runs = {a_run(), a_run()};
  EXPECT_EQ(values_of(runs, "budgeted", 1.0, "accuracy"), (std::vector<double>{0.9, 0.9}));
  EXPECT_TRUE(values_of(runs, "budgeted", 0.5, "accuracy").empty());
  EXPECT_EQ(values_of(runs, "budgeted", 0.5, "accuracy", "validation").size(), 2U);
}

TEST(Runs, BudgetsAreSortedAndSingle) {
  EXPECT_EQ(budgets_of({a_run(), a_run()}), (std::vector<double>{0.5, 1.0}));
}

}  // namespace
}  // namespace headroom
