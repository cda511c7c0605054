// Experiments on rows of our own: every arm runs, they go on where they stopped, and no arm needs
// another in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/files/file.h"
#include "base/random.h"
#include "experiments/adaptive/experiment.h"
#include "experiments/adaptive/summary.h"
#include "experiments/budgeted/experiment.h"
#include "experiments/budgeted/summary.h"
#include "experiments/nested/experiment.h"
#include "experiments/nested/summary.h"
#include "experiments/record/runs.h"
#include "experiments/record/test_rows.h"
#include "experiments/reproduce.h"
#include "experiments/variants/experiment.h"
#include "experiments/variants/kind_budgets_summary.h"
#include "experiments/variants/summary.h"
#include "support.h"

namespace headroom::experiments {
namespace {

using testing::expect_error;

class Experiments : public ::testing::Test {
 protected:
  // Two labels, told apart by one word among four.
  Experiment small(Experiment experiment) const {
    std::string rows;
    const std::vector<std::string> words = {"sun", "rain", "wind", "snow"};
    Random random{1};
    for (int i = 0; i < 80; ++i) {
      rows += i % 2 == 0 ? "good\tsun" : "bad\train";
      for (int word = 0; word < 3; ++word) rows += " " + words[random.below(4)];
      rows += "\n";
    }
    const std::string file = folder_.write("rows.tsv", rows).string();
    experiment.task.task = Task::classify;
    experiment.task.data = "tsv:" + file + "?label=1&text=2";
    experiment.task.eval_data = experiment.task.data;
    experiment.task.train_rows = 0;
    experiment.task.validation_rows = 20;
    experiment.task.tokenizer = TokenizerKind::word;
    experiment.task.min_count = 1;
    experiment.task.max_tokens = 8;
    experiment.shape = {.layers = 2, .width = 16, .heads = 4, .ffn = 16};
    experiment.recipe.batch_size = 20;
    for (double* epochs : {&experiment.recipe.dense_epochs, &experiment.recipe.soft_epochs,
                           &experiment.recipe.hard_epochs, &experiment.recipe.nested_epochs}) {
      *epochs = 2;
    }
    experiment.rates = {1e-3};
    experiment.threads = 1;
    return experiment;
  }

  std::filesystem::path file() const { return folder_.path() / "seed-1.json"; }

  static std::set<std::string> names(const Record& record) {
    std::set<std::string> all;
    for (const NamedArm& named : record.arms) all.insert(named.name);
    return all;
  }

  // What an arm of any experiment owes its readers, and that the file holds what was returned.
  void expect_complete(const Record& record) const {
    EXPECT_FALSE(record.commit.empty());
    EXPECT_TRUE(record.recipe.contains("data"));
    for (const auto& [name, arm] : record.arms) {
      EXPECT_FALSE(arm.commit.empty()) << name;
      ASSERT_FALSE(arm.points.empty()) << name;
      for (const Point& point : arm.points) {
        EXPECT_GE(point.accuracy.value_or(-1), 0) << name;
        EXPECT_LE(point.accuracy.value_or(2), 1) << name;
      }
    }
    EXPECT_EQ(to_json(read_record(file())).dump(), to_json(record).dump());
  }

  testing::TemporaryFolder folder_;
  SilentProgress progress_;
};

TEST_F(Experiments, NestedRunsAllItsArms) {
  const Experiment experiment = small(nested::describe("agnews", /*quick=*/true));
  const Record record = nested::run_seed(experiment, 1, file(), progress_);
  std::set<std::string> found = names(record);
  found.erase("fasttext");  // where the program is installed
  EXPECT_EQ(found, (std::set<std::string>{"nested", "dense", "dense-start", "nested-global",
                                          "nested-depth", "no-distillation", "heads-only",
                                          "specialists", "post-hoc"}));
  expect_complete(record);
  EXPECT_EQ(record.find("nested")->points.size(), 5U);
  EXPECT_EQ(order_of(record, "nested").group_width, *record.shape->ffn_group);
  EXPECT_NEAR(find_point(record, "dense", 1.0)->macs_fraction.value_or(0), 1.0, 1e-9);
  EXPECT_LT(find_point(record, "nested", 0.125)->macs_fraction.value_or(1), 0.9);
  const Page page = nested::summarise({record}, Json::object());
  EXPECT_NE(page.text.find("| nested, uniform (one checkpoint) |"), std::string::npos);
  EXPECT_FALSE(page.svg("alive.svg").empty());
}

TEST_F(Experiments, BudgetedRunsAllItsArms) {
  Experiment experiment = small(budgeted::describe("agnews", /*quick=*/true));
  experiment.budgets = {0.25, 1.0};
  experiment.specialist_budgets = {0.25};
  const Record record = budgeted::run_seed(experiment, 1, file(), progress_);
  EXPECT_EQ(names(record), (std::set<std::string>{"budgeted", "budgeted-free", "dense", "post-hoc",
                                                  "random", "random-adapted", "recovery", "scratch",
                                                  "soft", "soft-cut", "soft-folded", "static"}));
  expect_complete(record);
  EXPECT_EQ(gates_of(record, "budgeted").slope.size(), 1U) << "one slope for all heads";
  EXPECT_EQ(gates_of(record, "budgeted-free").slope.size(), 8U);
  EXPECT_EQ(record.find("soft")->mass.size(), 19U);
  EXPECT_EQ(find_point(record, "budgeted", 0.25)->active_heads, 0.25);
  const Page page = budgeted::summarise({record}, Json::object());
  EXPECT_FALSE(page.svg("mass.svg").empty());
  EXPECT_EQ(page.text.find("## Not run"), std::string::npos);
}

TEST_F(Experiments, AdaptiveRunsAllItsArms) {
  const Experiment experiment = small(adaptive::describe("sick", /*quick=*/true));
  const Record record = adaptive::run_seed(experiment, 1, file(), progress_);
  EXPECT_EQ(record.arms.size(), 19U);
  expect_complete(record);
  const ArmRecord& arm = *record.find("adaptive");
  EXPECT_EQ(arm.points.size(), 5U) << "without a cap and with four";
  EXPECT_EQ(arm.overrides->fixed_share.size(), 4U);
  EXPECT_EQ(arm.by_class->mean.size(), 2U) << "layers";
  EXPECT_EQ(arm.maps->layers.size(), 2U);
  EXPECT_LT(record.find("rows-25")->rows.value_or(60), 40) << "a quarter of 60";
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "adaptive" / "config.json"));
  const Page page = adaptive::summarise({record}, Json::object());
  EXPECT_EQ(page.text.find("## Not run"), std::string::npos);
  EXPECT_FALSE(page.svg("attention.svg").empty());
}

// Difficulty is told by a dense model, which has to be trained again then.
TEST_F(Experiments, AdaptiveGoesOnAfterItsDenseArm) {
  Experiment experiment = small(adaptive::describe("sick", /*quick=*/true));
  experiment.arms = {"dense"};
  const Record before = adaptive::run_seed(experiment, 1, file(), progress_);
  experiment.arms = {"dense", "adaptive", "static"};
  const Record after = adaptive::run_seed(experiment, 1, file(), progress_);
  EXPECT_EQ(after.find("dense")->seconds, before.find("dense")->seconds);
  EXPECT_EQ(after.arms.size(), 3U);
  EXPECT_TRUE(after.find("adaptive")->difficulty.has_value());
}

TEST_F(Experiments, VariantsGoOnAndGiveEachArmTheSameSteps) {
  Experiment experiment = small(variants::describe("sick", /*quick=*/true));
  experiment.shape.layers = 1;
  experiment.arms = {"super"};
  variants::run_seed(experiment, 1, file(), progress_);
  experiment.arms.clear();
  const Record record = variants::run_seed(experiment, 1, file(), progress_);
  ASSERT_EQ(record.arms.size(), 7U);
  expect_complete(record);
  for (const NamedArm& named : record.arms) {
    EXPECT_EQ(named.arm.steps, record.find("standard")->steps);
  }
  const auto parameters = [&](const char* name) { return record.find(name)->attention_parameters; };
  // Matrices of 16 x 16 with biases of 16; Super's are 2 and one of 8 x 8.
  EXPECT_EQ(parameters("standard"), 4 * 272);
  EXPECT_EQ(parameters("optimized"), 3 * 272);
  EXPECT_EQ(parameters("efficient"), 2 * 272);
  EXPECT_EQ(parameters("super"), 2 * 272 + 64);
  EXPECT_EQ(parameters("standard-matched"), 3 * 136 + 144);
  EXPECT_EQ(parameters("standard-mixing"), 4 * 272 + 64);
  EXPECT_EQ(parameters("super-xavier"), parameters("super"));
  EXPECT_NE(find_point(record, "super-xavier", 1)->loss, find_point(record, "super", 1)->loss);
  const Point& point = *find_point(record, "super", 1);
  const std::vector<bool> right = unpack_rows(point.correct, rows_of(record).test);
  EXPECT_NEAR(static_cast<double>(std::count(right.begin(), right.end(), true)) / 80,
              *point.accuracy, 1e-9);
  const Page page = variants::summarise({record}, Json::object());
  EXPECT_FALSE(page.svg("scores.svg").empty());
}

TEST_F(Experiments, KindsTimesBudgetsRunAtMatchedMacs) {
  const Experiment experiment =
      small(variants::describe(variants::kind_budgets_task, /*quick=*/true));
  const Record record = variants::run_seed(experiment, 1, file(), progress_);
  EXPECT_EQ(record.arms.size(), 20U) << "four kinds times none, budgeted, static, adaptive, capped";
  expect_complete(record);
  EXPECT_EQ(record.find("standard-none")->heads, 2) << "a quarter of eight";
  EXPECT_GT(record.find("efficient-none")->heads.value_or(0), 2) << "which cost less";
  EXPECT_EQ(variants::kind_budget_tables({record}).size(), 4U);
  for (const char* arm : {"standard-adaptive", "super-capped"}) {
    EXPECT_EQ(record.find(arm)->steps, record.find("standard-none")->steps) << arm;
    EXPECT_FALSE(record.find(arm)->points[0].correct.empty()) << arm;
  }
}

TEST_F(Experiments, EverySeedMayHaveItsOwnSplit) {
  Experiment experiment = small(variants::describe("sick", /*quick=*/true));
  experiment.arms = {"standard"};
  experiment.vary_split = true;
  experiment.task.data_dir = folder_.path();
  const Kind& kind = kind_named("variants");
  const Runs runs = run_seeds(kind, experiment, {folder_.path() / "out", {1, 2}}, progress_);
  require_one_recipe(runs);
  EXPECT_FALSE(runs[0].recipe.contains("validation rows"));
  const Page page = kind.summarise(runs, Json::object());
  EXPECT_NE(page.text.find("each with a validation split of its own"), std::string::npos);
}

TEST_F(Experiments, AnotherRecipeIsNotMixedIntoAFolder) {
  Experiment experiment = small(variants::describe("sick", /*quick=*/true));
  experiment.arms = {"standard"};
  variants::run_seed(experiment, 1, file(), progress_);
  const std::string stored = read_file(file(), ErrorCode::bad_data);
  experiment.arms = {"efficient"};
  experiment.recipe.dropout = 0.45;
  const auto refused = [&](uint64_t seed, const char* why) {
    const auto other = folder_.path() / ("seed-" + std::to_string(seed) + ".json");
    expect_error(ErrorCode::usage, why,
                 [&] { variants::run_seed(experiment, seed, other, progress_); });
  };
  refused(1, "dropout is");
  refused(2, "0.45 here");
  refused(2, "seed-1.json cannot be added to");
  EXPECT_EQ(read_file(file(), ErrorCode::bad_data), stored);
}

TEST_F(Experiments, RecordsFromBeforeRecipesWereStoredAreNotExtended) {
  Experiment experiment = small(variants::describe("sick", /*quick=*/true));
  experiment.arms = {"standard"};
  Record old = variants::run_seed(experiment, 1, file(), progress_);
  old.commit.clear();
  write_file_atomically(file(), to_json(old).dump());
  expect_error(ErrorCode::usage, "before recipes were stored whole",
               [&] { variants::run_seed(experiment, 1, file(), progress_); });
  EXPECT_FALSE(variants::summarise({read_record(file())}, Json::object()).text.empty());
}

}  // namespace
}  // namespace headroom::experiments
