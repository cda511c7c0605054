// Experiments on rows of our own: they go on where they stopped, and no arm needs another in
// memory.
#include <gtest/gtest.h>

#include "base/random.h"
#include "experiments/adaptive/experiment.h"
#include "experiments/variants/experiment.h"
#include "support.h"

namespace headroom {
namespace {

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
    experiment.task.data = "tsv:" + file + "?label=1&text=2";
    experiment.task.eval_data = experiment.task.data;
    experiment.task.train_rows = 0;
    experiment.task.validation_rows = 20;
    experiment.task.min_count = 1;
    experiment.task.max_tokens = 8;
    experiment.shape = {.layers = 1, .width = 16, .heads = 4, .ffn = 16};
    experiment.recipe.batch_size = 20;
    experiment.threads = 1;
    return experiment;
  }
  std::filesystem::path file() const { return folder_.path() / "seed-1.json"; }

  testing::TemporaryFolder folder_;
  SilentProgress progress_;
};

// Difficulty is told by a dense model, which has to be trained again then.
TEST_F(Experiments, AdaptiveGoesOnAfterItsDenseArm) {
  Experiment experiment = small(adaptive_experiment("sick", /*quick=*/true));
  experiment.arms = {"dense"};
  const Json before = run_adaptive_seed(experiment, 1, file(), progress_);
  experiment.arms = {"dense", "adaptive", "static"};
  const Json after = run_adaptive_seed(experiment, 1, file(), progress_);
  EXPECT_EQ(after.at("arms").at("dense"), before.at("arms").at("dense"));
  EXPECT_EQ(after.at("arms").size(), 3);
  EXPECT_TRUE(after.at("arms").at("adaptive").contains("difficulty"));
}

TEST_F(Experiments, VariantsGoOnAndGiveEachArmTheSameSteps) {
  Experiment experiment = small(variants_experiment("sick", /*quick=*/true));
  experiment.task.task = Task::classify;
  experiment.arms = {"super"};
  run_variants_seed(experiment, 1, file(), progress_);
  experiment.arms.clear();
  const Json arms = run_variants_seed(experiment, 1, file(), progress_).at("arms");
  ASSERT_EQ(arms.size(), 6);
  for (const auto& arm : arms) EXPECT_EQ(arm.at("steps"), arms.at("standard").at("steps"));
  const auto parameters = [&](const char* name) {
    return arms.at(name).at("attention_parameters").get<int64_t>();
  };
  // Matrices of 16 x 16 with biases of 16; Super's are 2 and one of 8 x 8.
  EXPECT_EQ(parameters("standard"), 4 * 272);
  EXPECT_EQ(parameters("optimized"), 3 * 272);
  EXPECT_EQ(parameters("efficient"), 2 * 272);
  EXPECT_EQ(parameters("super"), 2 * 272 + 64);
  EXPECT_EQ(parameters("standard-matched"), 3 * 136 + 144);
  EXPECT_EQ(parameters("standard-mixing"), 4 * 272 + 64);
}

}  // namespace
}  // namespace headroom
