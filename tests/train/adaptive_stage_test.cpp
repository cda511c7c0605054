// Learning to choose heads per input.
#include "train/stages/adaptive.h"

#include <gtest/gtest.h>

#include "train/evaluate/choice.h"
#include "train/loop/plan.h"
#include "train/tiny.h"

namespace headroom {
namespace {
using namespace testing;

ElasticModel tiny_adaptive_model() {
  ElasticModel model;
  model.shape = tiny_shape();
  model.shape.controller = 8;
  model.dropout = 0;
  model.weights = fresh_weights(model.shape, 1, torch::kCPU);
  set_initial_share(model.weights, 0.7);
  return model;
}

TEST(Ramp, IsFlatOutsideItsPoints) {
  const Ramp ramp{2.0, 0.5, 0.2, 0.7};
  EXPECT_EQ(ramp.at(0.0), 2.0);
  EXPECT_EQ(ramp.at(0.2), 2.0);
  EXPECT_NEAR(ramp.at(0.45), 1.25, 1e-12);
  EXPECT_EQ(ramp.at(0.7), 0.5);
  EXPECT_EQ(ramp.at(1.0), 0.5);
}

TEST(Ramp, MayJump) {
  const Ramp ramp{0.0, 1.0, 0.5, 0.5};
  EXPECT_EQ(ramp.at(0.49), 0.0);
  EXPECT_EQ(ramp.at(0.5), 1.0);
}

TEST(ChoicePenalty, ChargesHeadsTheIntervalAndEntropy) {
  AdaptiveSettings settings;
  settings.share_weight = {0.5, 0.5, 0, 1};
  settings.entropy_weight = {0.1, 0.1, 0, 1};
  settings.hinge_weight = 2;
  // s of 0.05 is 0.05 below the interval, 0.95 as much above it; q is even over two heads.
  const std::vector<torch::Tensor> shares = {torch::tensor({0.05F, 0.5F}),
                                             torch::tensor({0.95F, 0.5F})};
  const torch::Tensor even = torch::full({2, 2}, std::log(0.5));
  const double penalty = choice_penalty(shares, {even, even}, settings, 0.5).item<double>();
  EXPECT_NEAR(penalty, 0.5 * 0.5 + 2 * 0.025 - 0.1 * std::log(2.0), 1e-6);
}

TEST(SetInitialShare, IsWhatEveryInputAsksFor) {
  const ChoiceEvaluation result = evaluate_choice(tiny_adaptive_model(), tiny_validation());
  EXPECT_NEAR(result.share.min().item<double>(), 0.7, 0.05);
  EXPECT_NEAR(result.share.max().item<double>(), 0.7, 0.05);
  EXPECT_EQ(result.heads.sum().item<int64_t>(), 64 * 2 * 3) << "3 of 4 heads in 2 layers";
}

Validation after_training(ElasticModel& model, const AdaptiveSettings& adaptive) {
  const std::vector<Batch> validation = tiny_validation();
  Recipe recipe;
  recipe.adaptive = adaptive;
  recipe.adaptive_rate = 0.01;
  recipe.adaptive_epochs = 5;
  const auto source = tiny_source();
  std::vector<StagePlan> plans;
  plans.push_back(plan_adaptive(recipe, *source, validation));
  SilentProgress silent;
  run_stages(model, plans, *source, trainer_settings(recipe, 1), silent);
  plans[0].stage->advance(1.0);
  return plans[0].stage->validate(model);
}

double detail(const Validation& validation, const std::string& name) {
  for (const auto& [key, value] : validation.details) {
    if (key == name) return value;
  }
  ADD_FAILURE() << "no " << name;
  return -1;
}

TEST(AdaptiveStage, UsesFewerHeadsWhenTheyCost) {
  AdaptiveSettings costly;
  costly.share_weight = {5.0, 5.0, 0, 1};
  costly.hinge_weight = 0;
  ElasticModel model = tiny_adaptive_model();
  EXPECT_LT(detail(after_training(model, costly), "s_mean"), 0.4);
  AdaptiveSettings rewarded = costly;
  rewarded.share_weight = {-5.0, -5.0, 0, 1};
  ElasticModel other = tiny_adaptive_model();
  EXPECT_GT(detail(after_training(other, rewarded), "s_mean"), 0.8);
}

TEST(AdaptiveStage, LogsEveryLayer) {
  ElasticModel model = tiny_adaptive_model();
  const Validation validation = after_training(model, {});
  for (const char* name : {"s_mean", "active_heads", "s@0", "s@1", "heads@1", "q_entropy@0",
                           "z_entropy@1", "temperature"}) {
    EXPECT_GE(detail(validation, name), 0.0) << name;
  }
}

TEST(AdaptiveStage, GivesControllersAGradientThroughHardHeads) {
  AdaptiveSettings settings;  // the task alone
  settings.share_weight = settings.entropy_weight = {0, 0, 0, 1};
  settings.hinge_weight = 0;
  ElasticModel model = tiny_adaptive_model();
  Parameters parameters(model, {});
  const std::vector<Batch> validation = tiny_validation();
  const auto stage = adaptive_stage({}, settings, validation);
  stage->advance(0.95);  // every example with whole heads
  Random random{1};
  stage->loss(model, tiny_source()->batch(0), random).backward();
  for (const LayerWeights& layer : model.weights.layers) {
    EXPECT_GT(layer.controller->budget.weight.grad().abs().max().item<double>(), 0.0);
    EXPECT_GT(layer.controller->relevance.weight.grad().abs().max().item<double>(), 0.0);
  }
}

TEST(AdaptiveModel, HasControllersThatLearnFaster) {
  ElasticModel model = tiny_adaptive_model();
  Parameters parameters(model, {});
  const ParameterGroup& group = parameters.groups().back();
  EXPECT_EQ(group.name, "controllers");
  EXPECT_EQ(group.rate_factor, 10.0);
  EXPECT_EQ(group.values.numel(), 2 * (16 * 8 + 8 + 8 + 1 + 16 * 4 + 4));
}

TEST(EvaluateChoice, SkippingAndMaskingAgreeOnRowsAndCaps) {
  ElasticModel model = tiny_adaptive_model();
  model.gates = fresh_gates(model.shape.layers, model.shape.heads, false, 1, torch::kCPU);
  const std::vector<Batch> batches = tiny_validation();
  ChoiceOptions options;
  options.budget = 0.5;
  const ChoiceEvaluation masked = evaluate_choice(model, batches, options);
  options.execution = Execution::skipped;
  const ChoiceEvaluation skipped = evaluate_choice(model, batches, options);
  EXPECT_LT(largest_difference(masked.loss, skipped.loss), 1e-5);
  EXPECT_TRUE(torch::equal(masked.heads, skipped.heads));
  EXPECT_LE(masked.heads.sum(-1).max().item<int64_t>(), 4) << "half of 2 x 4 heads";
}

}  // namespace
}  // namespace headroom
