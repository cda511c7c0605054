// A tiny synthetic model, trained until it solves its task, scored at several budgets.
#include "train/evaluate/score_budgets.h"

#include <gtest/gtest.h>

#include "train/loop/plan.h"
#include "train/runtime.h"
#include "train/tiny.h"

namespace headroom {
namespace {

const std::vector<double> budgets = {0.25, 0.5, 0.75, 1.0};

// Two labels, one decoy, four noise symbols: solved in a few hundred steps.
const SyntheticTask easy_task = {
    .tokens = 12, .decoys = 1, .values = 2, .decoy_markers = 1, .symbols = 4};

ElasticModel trained_model() {
  use_threads(1);
  ElasticModel model;
  model.shape = testing::tiny_shape();
  model.shape.width = 32;
  model.shape.ffn = 64;
  model.shape.vocabulary = symbol_count(easy_task) + special_count;
  model.shape.labels = easy_task.values;
  model.dropout = 0;
  model.weights = fresh_weights(model.shape, 1, torch::kCPU);
  model.gates = fresh_gates(model.shape.layers, model.shape.heads, false, 1, torch::kCPU);
  const auto source = synthetic_source(easy_task, 32, 3200, 1, torch::kCPU);
  const auto validation =
      evaluation_batches(encode_synthetic(easy_task, 2, 0, 200), 64, torch::kCPU);
  Recipe recipe = default_recipe(Task::synthetic);
  recipe.dense_rate = recipe.soft_rate = recipe.hard_rate = 3e-3;
  std::vector<StagePlan> plans = plan_method(Method::budgeted, recipe, *source, validation);
  SilentProgress silent;
  run_stages(model, plans, *source, trainer_settings(recipe, 1), silent);
  return model;
}

class ScoreBudgets : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    model = std::make_unique<ElasticModel>(trained_model());
    config.shape = model->shape;
    config.method = Method::budgeted;
    config.task = Task::synthetic;
    config.labels = synthetic_labels(easy_task);
    config.gates = model->gates->parameters();
    scores = score_budgets(*model, config, data, budgets);
  }
  static void TearDownTestSuite() { model.reset(); }

  static inline std::unique_ptr<ElasticModel> model;
  static inline ModelConfig config;
  static inline std::vector<BudgetScore> scores;
  static inline const EncodedDataset data = encode_synthetic(easy_task, 3, 0, 500);
};

TEST_F(ScoreBudgets, CostFallsWithTheBudget) {
  ASSERT_EQ(scores.size(), 4U);
  for (size_t i = 1; i < scores.size(); ++i) {
    EXPECT_LT(scores[i - 1].attention_macs, scores[i].attention_macs);
    EXPECT_LT(scores[i - 1].model_macs, scores[i].model_macs);
    EXPECT_LT(scores[i - 1].parameters, scores[i].parameters);
    EXPECT_LT(scores[i - 1].active_heads, scores[i].active_heads);
  }
  EXPECT_EQ(scores[1].active_heads, 0.5);
  EXPECT_EQ(scores[3].model_macs_fraction, 1.0);
}

TEST_F(ScoreBudgets, ATrainedModelSolvesItsTask) {
  for (const BudgetScore& score : scores) {
    EXPECT_EQ(score.examples, 500);
    EXPECT_GE(score.accuracy, 0.95) << "budget " << score.budget;
  }
}

TEST_F(ScoreBudgets, SlicedScoresAreTheMaskedOnes) {
  const std::vector<Batch> batches = evaluation_batches(data, 64, torch::kCPU);
  for (const BudgetScore& score : scores) {
    const Evaluation masked =
        evaluate(model->weights, batches, model->evaluation(hard_mask(*model, score.budget)));
    EXPECT_EQ(score.accuracy, masked.accuracy) << "budget " << score.budget;
    EXPECT_NEAR(score.loss, masked.loss, 1e-5) << "budget " << score.budget;
  }
}

TEST_F(ScoreBudgets, ScoresAreCountedRowByRow) {
  const torch::NoGradGuard no_gradients;
  int64_t right = 0;
  for (int32_t row = 0; row < data.size(); ++row) {
    const Batch batch = make_batch(data, {&row, 1}, torch::kCPU);
    const torch::Tensor logits = forward(model->weights, batch, model->evaluation());
    right += logits.argmax(-1).item<int64_t>() == batch.labels.item<int64_t>() ? 1 : 0;
  }
  EXPECT_DOUBLE_EQ(scores[3].accuracy, static_cast<double>(right) / 500);
}

}  // namespace
}  // namespace headroom
