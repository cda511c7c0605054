// What the stages minimise: loss terms by hand, budgets drawn, and straight-through gradients.
#include "train/stages/stages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/slice.h"
#include "train/loop/parameters.h"
#include "train/stages/losses.h"
#include "train/stages/nested.h"
#include "train/tiny.h"

namespace headroom {
namespace {
using testing::tiny_model;

torch::Tensor row(std::initializer_list<float> logits) {
  return torch::tensor(std::vector<float>(logits)).unsqueeze(0);
}

const float log3 = std::log(3.0F);

TEST(TaskLoss, IsTheMeanSurprise) {
  const torch::Tensor logits = torch::cat({row({log3, 0}), row({0, 0})});
  const torch::Tensor labels = torch::tensor({0, 1}, torch::kInt64);
  const double expected = (-std::log(0.75) - std::log(0.5)) / 2;
  EXPECT_NEAR(task_loss(logits, labels, 0.0).item<double>(), expected, 1e-6);
}

TEST(TaskLoss, SmoothingSpreadsAShareOverAllLabels) {
  const torch::Tensor labels = torch::tensor({0}, torch::kInt64);
  const double expected = -0.9 * std::log(0.75) - 0.1 * (std::log(0.75) + std::log(0.25)) / 2;
  EXPECT_NEAR(task_loss(row({log3, 0}), labels, 0.1).item<double>(), expected, 1e-6);
}

TEST(DistillationLoss, IsZeroForEqualLogits) {
  EXPECT_NEAR(distillation_loss(row({1, -2, 3}), row({1, -2, 3}), 2.0).item<double>(), 0, 1e-7);
  EXPECT_NEAR(distillation_loss(row({5, 6}), row({0, 1}), 2.0).item<double>(), 0, 1e-6)
      << "logits that differ by a constant say the same";
}

TEST(DistillationLoss, IsTheDivergenceTimesTheSquaredTemperature) {
  // At temperature 2 the teacher says (3/4, 1/4), the student (1/2, 1/2).
  const double expected = 4 * (0.75 * std::log(1.5) + 0.25 * std::log(0.5));
  EXPECT_NEAR(distillation_loss(row({0, 0}), row({2 * log3, 0}), 2.0).item<double>(), expected,
              1e-6);
}

TEST(DistillationLoss, IsPositiveForDifferentLogits) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    torch::manual_seed(seed);
    EXPECT_GT(distillation_loss(torch::randn({3, 4}), torch::randn({3, 4}), 1.5).item<double>(),
              0.0);
  }
}

TEST(DistillationLoss, TeachesTheStudentOnly) {
  const torch::Tensor student = row({0, 0}).requires_grad_(true);
  const torch::Tensor teacher = row({1, 0}).requires_grad_(true);
  distillation_loss(student, teacher, 2.0).backward();
  EXPECT_GT(student.grad().abs().max().item<double>(), 0.0);
  EXPECT_FALSE(teacher.grad().defined());
}

TEST(BudgetPenalty, ChargesTheMassAndItsSquaredOvershoot) {
  const torch::Tensor gates = torch::tensor({{1.0F, 0.5F}, {0.5F, 0.0F}});  // mass 0.5
  EXPECT_NEAR(budget_penalty(gates, 0.25, 0.01, 5.0).item<double>(), 0.005 + 5 * 0.0625, 1e-6);
}

TEST(BudgetPenalty, ForgivesMassBelowTheBudget) {
  const torch::Tensor gates = torch::tensor({{1.0F, 0.5F}, {0.5F, 0.0F}});
  EXPECT_NEAR(budget_penalty(gates, 0.75, 0.01, 5.0).item<double>(), 0.005, 1e-6);
}

TEST(DrawBudget, StaysInRangeAndOftenHitsTheGrid) {
  StageSettings settings;
  settings.budget_low = 0.3;
  settings.budget_grid = {0.25, 0.5, 1.0};
  int from_grid = 0;
  Random random{1};
  for (int i = 0; i < 2000; ++i) {
    const double budget = draw_budget(settings, random);
    const bool on_grid =
        std::count(settings.budget_grid.begin(), settings.budget_grid.end(), budget) > 0;
    EXPECT_TRUE(on_grid || (budget >= 0.3 && budget < 1.0)) << budget;
    from_grid += on_grid ? 1 : 0;
  }
  EXPECT_NEAR(from_grid, 1000, 100);
}

TEST(DrawBudget, AFixedBudgetIsTheOnlyOne) {
  StageSettings settings;
  settings.fixed_budget = 0.4;
  Random random{1};
  for (int i = 0; i < 20; ++i) EXPECT_EQ(draw_budget(settings, random), 0.4);
}

// One loss of a stage at one fixed budget, without dropout, on a trained-like model.
class OneStep : public ::testing::Test {
 protected:
  OneStep() : model(tiny_model()), teacher(tiny_model(2)), batch(testing::tiny_source()->batch(0)) {
    model.dropout = 0;
    teacher.dropout = 0;
    settings.fixed_budget = 0.5;
  }

  torch::Tensor loss_of(Stage& stage) {
    stage.begin(copy_model(teacher));
    return stage.loss(model, batch, random);
  }
  torch::Tensor logits_of(const ElasticModel& of, const torch::Tensor& head_factors) const {
    return forward(of.weights, batch, of.evaluation(head_factors));
  }
  // (1 - r) * task + r * distillation, as the recipe weighs them.
  double expected_distilled(const torch::Tensor& student, const torch::Tensor& taught) const {
    const double r = settings.distill_weight;
    return ((1 - r) * task_loss(student, batch.labels, 0.0) +
            r * distillation_loss(student, taught, settings.temperature))
        .item<double>();
  }

  ElasticModel model;
  ElasticModel teacher;
  Batch batch;
  StageSettings settings;
  std::vector<Batch> validation = testing::tiny_validation();
  Random random{1};
};

TEST_F(OneStep, DenseIgnoresTheGates) {
  const double expected = task_loss(logits_of(model, {}), batch.labels, 0.0).item<double>();
  EXPECT_NEAR(loss_of(*dense_stage(settings, validation)).item<double>(), expected, 1e-6);
}

TEST_F(OneStep, SoftAddsThePenaltyToTheGatedTask) {
  const torch::Tensor gates = model.gates->values(0.5);
  const torch::Tensor expected =
      task_loss(logits_of(model, gates), batch.labels, 0.0) + budget_penalty(gates, 0.5, 0.01, 5.0);
  EXPECT_NEAR(loss_of(*soft_stage(settings, validation)).item<double>(), expected.item<double>(),
              1e-6);
}

TEST_F(OneStep, SoftAtBudgetOneIsTheDenseLoss) {
  settings.fixed_budget = 1.0;
  const double expected = task_loss(logits_of(model, {}), batch.labels, 0.0).item<double>();
  EXPECT_NEAR(loss_of(*soft_stage(settings, validation)).item<double>(), expected, 1e-6);
}

TEST_F(OneStep, HardRunsForwardWithTheHardMask) {
  const torch::Tensor mask = hard_mask(model, 0.5);
  ASSERT_EQ(mask.sum().item<double>(), 4.0) << "half of 2 x 4 heads";
  const double expected =
      expected_distilled(logits_of(model, mask), logits_of(teacher, teacher.gates->values(0.5)));
  EXPECT_NEAR(loss_of(*hard_stage(settings, validation)).item<double>(), expected, 1e-6);
}

TEST_F(OneStep, HardSendsAGradientThroughTheMaskToEveryGate) {
  Parameters parameters(model, {});
  loss_of(*hard_stage(settings, validation)).backward();
  EXPECT_TRUE((model.gates->offset.grad() != 0).all().item<bool>()) << "closed heads too";
}

TEST_F(OneStep, HardLeavesTheGatesAloneAtBudgetOne) {
  settings.fixed_budget = 1.0;
  Parameters parameters(model, {});
  loss_of(*hard_stage(settings, validation)).backward();
  EXPECT_EQ(parameters.groups()[2].gradient.abs().max().item<double>(), 0.0);
  EXPECT_GT(parameters.groups()[0].gradient.abs().max().item<double>(), 0.0);
}

TEST_F(OneStep, MaskedTrainsTheSelectionItWasGiven) {
  const Selection selection{4, {{1}, {0, 3}}, {}};
  const torch::Tensor mask = mask_of(selection, torch::kCPU);
  const double expected = task_loss(logits_of(model, mask), batch.labels, 0.0).item<double>();
  EXPECT_NEAR(loss_of(*masked_stage(settings, selection, validation)).item<double>(), expected,
              1e-6);
}

TEST_F(OneStep, OrderedFollowsTheOrderItWasGiven) {
  const HeadOrder order = random_order(2, 4, 5);
  const torch::Tensor mask = mask_of(select_heads(order, 0.5), torch::kCPU);
  const double expected = expected_distilled(logits_of(model, mask), logits_of(teacher, {}));
  EXPECT_NEAR(loss_of(*ordered_stage(settings, order, validation)).item<double>(), expected, 1e-6);
}

TEST_F(OneStep, HardValidatesTheMeanAccuracyOverTheGrid) {
  settings.fixed_budget.reset();
  settings.budget_grid = {0.25, 0.5, 1.0};
  double expected = 0;
  for (const double b : settings.budget_grid) {
    const ForwardOptions options = model.evaluation(hard_mask(model, b));
    expected += evaluate(model.weights, validation, options).accuracy / 3;
  }
  const Validation result = hard_stage(settings, validation)->validate(model);
  EXPECT_NEAR(result.score, expected, 1e-12);
  EXPECT_EQ(result.details[1].first, "accuracy@0.5");
}

// One step of stages that train prefixes; their teacher is the whole model.
class OnePrefixStep : public OneStep {
 protected:
  OnePrefixStep() {
    model.order = teacher.order = uniform_order(model.shape, 4);
    settings.budget_low = 0.25;
    settings.anchors = {0.25};
  }
  torch::Tensor logits_at(double budget) const {
    const Selection selection = select_units(*model.order, model.shape, budget);
    return forward(slice_model(model.weights, selection), batch, model.evaluation());
  }
};

TEST_F(OnePrefixStep, NestedIsTheMeanOfWholeSmallestAndDrawn) {
  const torch::Tensor taught = logits_of(teacher, {});
  const double expected =
      (expected_distilled(logits_of(model, {}), taught) +
       expected_distilled(logits_at(0.25), taught) + expected_distilled(logits_at(0.5), taught)) /
      3;
  EXPECT_NEAR(loss_of(*nested_stage(settings, {}, validation)).item<double>(), expected, 1e-6);
}

TEST_F(OnePrefixStep, NestedWithoutDistillationFollowsTheLabels) {
  settings.distill_weight = 0;
  settings.fixed_budget = 1.0;
  settings.anchors = {1.0};
  const double expected = task_loss(logits_of(model, {}), batch.labels, 0.0).item<double>();
  EXPECT_NEAR(loss_of(*nested_stage(settings, {}, validation)).item<double>(), expected, 1e-6);
}

TEST_F(OnePrefixStep, NestedReachesEveryWeight) {
  model.gates.reset();
  Parameters parameters(model, {});
  loss_of(*nested_stage(settings, {}, validation)).backward();
  const LayerWeights& last = model.weights.layers[1];
  EXPECT_TRUE((last.up.weight.grad().abs().amax(1) > 0).all().item<bool>());
  EXPECT_TRUE((last.attention.value.weight.grad().abs().amax(1) > 0).all().item<bool>());
}

TEST_F(OnePrefixStep, NestedValidatesTheMeanAccuracyOverTheGrid) {
  settings.budget_grid = {0.25, 0.5, 1.0};
  double expected = 0;
  for (const double b : settings.budget_grid) {
    const Selection selection = select_units(*model.order, model.shape, b);
    const ModelWeights sliced = slice_model(model.weights, selection);
    expected += evaluate(sliced, validation, model.evaluation()).accuracy / 3;
  }
  const Validation result = nested_stage(settings, {}, validation)->validate(model);
  EXPECT_NEAR(result.score, expected, 1e-12);
  EXPECT_EQ(result.details[1].first, "accuracy@0.5");
}

TEST_F(OnePrefixStep, ASpecialistTrainsItsOneBudget) {
  const double expected = expected_distilled(logits_at(0.5), logits_of(teacher, {}));
  EXPECT_NEAR(loss_of(*specialist_stage(settings, 0.5, validation)).item<double>(), expected, 1e-6);
}

}  // namespace
}  // namespace headroom
