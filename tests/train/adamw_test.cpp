// The optimiser and its learning rate. References: the tensor form, torch's own AdamW, and numbers
// by hand.
#include "train/loop/adamw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "train/loop/schedule.h"
#include "train/tiny.h"

namespace headroom {
namespace {
using testing::largest_difference;

torch::Tensor random_vector(int64_t size, double scale, Random& random) {
  torch::Tensor tensor = torch::empty({size});
  for (int64_t i = 0; i < size; ++i) tensor[i] = scale * random.normal();
  return tensor;
}

// Two groups like a model's: one decays, one learns faster.
std::vector<ParameterGroup> random_groups(uint64_t seed) {
  Random random{seed};
  std::vector<ParameterGroup> groups = {{"matrices", 1.0, 0.1, {}, {}, {}, {}},
                                        {"gates", 10.0, 0.0, {}, {}, {}, {}}};
  for (ParameterGroup& group : groups) {
    group.values = random_vector(37, 1.0, random);
    group.gradient = torch::zeros({37});
    group.mean = torch::zeros({37});
    group.square = torch::zeros({37});
  }
  return groups;
}

void draw_gradients(std::vector<ParameterGroup>& groups, double scale, Random& random) {
  for (ParameterGroup& group : groups) group.gradient = random_vector(37, scale, random);
}

// The update written out number by number, in double precision.
void plain_adamw(std::vector<ParameterGroup>& groups, const AdamWSettings& settings, double rate,
                 int64_t step) {
  double norm = 0;
  for (const ParameterGroup& group : groups) norm += group.gradient.square().sum().item<double>();
  const double clip =
      settings.clip_norm > 0 ? std::min(1.0, settings.clip_norm / std::sqrt(norm)) : 1.0;
  for (ParameterGroup& group : groups) {
    for (int64_t i = 0; i < group.values.numel(); ++i) {
      const auto at = [i](torch::Tensor& tensor) -> float& { return tensor.data_ptr<float>()[i]; };
      const double g = clip * at(group.gradient);
      at(group.mean) =
          static_cast<float>(settings.beta1 * at(group.mean) + (1 - settings.beta1) * g);
      at(group.square) =
          static_cast<float>(settings.beta2 * at(group.square) + (1 - settings.beta2) * g * g);
      const double m = at(group.mean) / (1 - std::pow(settings.beta1, step));
      const double v = at(group.square) / (1 - std::pow(settings.beta2, step));
      const double lr = rate * group.rate_factor;
      at(group.values) = static_cast<float>(at(group.values) * (1 - lr * group.weight_decay) -
                                            lr * m / (std::sqrt(v) + settings.epsilon));
    }
  }
}

void expect_equals_plain_arithmetic(double gradient_scale, double clip_norm) {
  std::vector<ParameterGroup> groups = random_groups(1);
  std::vector<ParameterGroup> reference = random_groups(1);
  const AdamWSettings settings = {.clip_norm = clip_norm};
  Random random{2};
  for (int64_t step = 1; step <= 20; ++step) {
    draw_gradients(groups, gradient_scale, random);
    for (size_t i = 0; i < groups.size(); ++i) reference[i].gradient = groups[i].gradient.clone();
    adamw_step(groups, settings, 1e-2, step);
    plain_adamw(reference, settings, 1e-2, step);
    for (size_t i = 0; i < groups.size(); ++i) {
      EXPECT_LE(largest_difference(groups[i].values, reference[i].values), 1e-6) << "step " << step;
      EXPECT_LE(largest_difference(groups[i].mean, reference[i].mean), 1e-6) << "step " << step;
      EXPECT_LE(largest_difference(groups[i].square, reference[i].square), 1e-6) << "step " << step;
    }
  }
}

TEST(AdamW, IsThePlainArithmeticWhenClipping) {
  expect_equals_plain_arithmetic(5.0, 1.0);
}

TEST(AdamW, IsThePlainArithmeticBelowTheClip) {
  expect_equals_plain_arithmetic(0.01, 1.0);
}

TEST(AdamW, IsThePlainArithmeticWithoutClipping) {
  expect_equals_plain_arithmetic(1.0, 0.0);
}

TEST(AdamW, WalksTheSamePathAsTorch) {
  // Minimise |x - 3|^2 from the same start with both; only the first group decays.
  std::vector<ParameterGroup> groups = random_groups(3);
  std::vector<torch::optim::OptimizerParamGroup> torch_groups;
  std::vector<torch::Tensor> torch_values;
  for (const ParameterGroup& group : groups) {
    torch_values.push_back(group.values.clone().requires_grad_(true));
    auto options = std::make_unique<torch::optim::AdamWOptions>(1e-2 * group.rate_factor);
    options->weight_decay(group.weight_decay);
    torch_groups.emplace_back(std::vector<torch::Tensor>{torch_values.back()}, std::move(options));
  }
  torch::optim::AdamW optimiser(torch_groups, torch::optim::AdamWOptions(1e-2));
  for (int64_t step = 1; step <= 30; ++step) {
    for (size_t i = 0; i < groups.size(); ++i) {
      groups[i].gradient = 2 * (groups[i].values - 3);
      torch_values[i].mutable_grad() = 2 * (torch_values[i].detach() - 3);
    }
    adamw_step(groups, {.clip_norm = 0.0}, 1e-2, step);
    optimiser.step();
    for (size_t i = 0; i < groups.size(); ++i) {
      EXPECT_LE(largest_difference(groups[i].values, torch_values[i].detach()), 1e-6)
          << groups[i].name << " at step " << step;
    }
  }
}

TEST(AdamW, ClippingScalesAllGroupsByOneFactor) {
  std::vector<ParameterGroup> clipped = random_groups(4);
  std::vector<ParameterGroup> scaled = random_groups(4);
  Random random{5};
  draw_gradients(clipped, 3.0, random);
  const double norm = torch::cat({clipped[0].gradient, clipped[1].gradient}).norm().item<double>();
  for (size_t i = 0; i < scaled.size(); ++i) {
    scaled[i].gradient = clipped[i].gradient * (0.5 / norm);
  }
  adamw_step(clipped, {.clip_norm = 0.5}, 1e-2, 1);
  adamw_step(scaled, {.clip_norm = 0.0}, 1e-2, 1);
  for (size_t i = 0; i < scaled.size(); ++i) {
    EXPECT_LE(largest_difference(clipped[i].mean, scaled[i].mean), 1e-6);
    EXPECT_LE(largest_difference(clipped[i].values, scaled[i].values), 1e-6);
  }
}

TEST(AdamW, OnlyMatricesDecay) {
  ElasticModel model = testing::tiny_model();
  const ElasticModel before = copy_model(model);
  Parameters parameters(model, {.weight_decay = 0.1});
  adamw_step(parameters.groups(), {}, 0.5, 1);  // no gradient: decay is all that can happen
  EXPECT_LE(largest_difference(model.weights.words, before.weights.words * 0.95), 1e-7);
  EXPECT_LE(largest_difference(model.weights.pooler.weight, before.weights.pooler.weight * 0.95),
            1e-7);
  EXPECT_TRUE(
      torch::equal(model.weights.embedding_norm.weight, before.weights.embedding_norm.weight));
  EXPECT_TRUE(torch::equal(model.weights.pooler.bias, before.weights.pooler.bias));
  EXPECT_TRUE(torch::equal(model.gates->offset, before.gates->offset));
  EXPECT_TRUE(torch::equal(model.gates->slope, before.gates->slope));
}

TEST(Schedule, WarmsUpInEqualStepsToThePeak) {
  const Schedule schedule = {.peak = 1.0, .steps = 100, .warmup = 4};
  EXPECT_DOUBLE_EQ(schedule.rate(0), 0.25);
  EXPECT_DOUBLE_EQ(schedule.rate(1), 0.5);
  EXPECT_DOUBLE_EQ(schedule.rate(3), 1.0);
}

TEST(Schedule, DecaysToZeroAtTheEnd) {
  const Schedule schedule = {.peak = 1.0, .steps = 12, .warmup = 2};
  EXPECT_DOUBLE_EQ(schedule.rate(2), 1.0);
  EXPECT_DOUBLE_EQ(schedule.rate(7), 0.5);
  EXPECT_DOUBLE_EQ(schedule.rate(11), 0.1);
  EXPECT_DOUBLE_EQ(schedule.rate(12), 0.0);
  EXPECT_DOUBLE_EQ(schedule.rate(50), 0.0);
}

TEST(Schedule, StaysAtThePeakWithoutDecay) {
  const Schedule schedule = {.peak = 0.3, .steps = 10, .warmup = 1, .decay = false};
  for (const int64_t step : {1, 5, 9, 100}) EXPECT_DOUBLE_EQ(schedule.rate(step), 0.3);
}

TEST(Schedule, StartsAtThePeakWithoutWarmUp) {
  EXPECT_DOUBLE_EQ((Schedule{.peak = 0.3, .steps = 1}.rate(0)), 0.3);
}

TEST(Schedule, OverTimeTheWarmUpStillCountsSteps) {
  const Schedule schedule = {.peak = 0.3, .steps = 0, .warmup = 10};
  EXPECT_DOUBLE_EQ(schedule.rate_at(0.0001, 0), 0.03);
  EXPECT_DOUBLE_EQ(schedule.rate_at(0.4, 4), 0.15) << "however slow the steps are";
  EXPECT_DOUBLE_EQ(schedule.rate_at(0.0, 9), 0.3);
}

TEST(Schedule, OverTimeTheDecayFollowsTheShareThatIsOver) {
  const Schedule schedule = {.peak = 0.3, .steps = 0, .warmup = 10};
  EXPECT_DOUBLE_EQ(schedule.rate_at(0.25, 500), 0.225);
  EXPECT_DOUBLE_EQ(schedule.rate_at(0.5, 5'000'000), 0.15);
}

TEST(Schedule, BetweenSharesOfItsStepsIsThatOfTheSteps) {
  const Schedule schedule = {.peak = 0.3, .steps = 20, .warmup = 4};
  for (int64_t step = 0; step < 20; ++step) {
    EXPECT_NEAR(
        schedule.rate_between(static_cast<double>(step) / 20, static_cast<double>(step + 1) / 20),
        schedule.rate(step), 1e-12);
  }
  EXPECT_EQ((Schedule{.peak = 0.3, .steps = 1}.rate_between(0, 1)), 0.3);
}

TEST(Schedule, IsZeroWhenTheTimeIsUpAndNeverLess) {
  for (const int64_t step : {3, 500}) {  // in the warm-up and after it
    const Schedule schedule = {.peak = 0.3, .steps = 0, .warmup = 10};
    EXPECT_NEAR(schedule.rate_at(0.999, step), 0.0, 1e-3);
    EXPECT_EQ(schedule.rate_at(1.0, step), 0.0);
    EXPECT_EQ(schedule.rate_at(1.5, step), 0.0);
  }
}

TEST(Schedule, OverTimeMayStayAtThePeakOrWarmUpThroughout) {
  EXPECT_EQ((Schedule{.peak = 0.3, .warmup = 1, .decay = false}.rate_at(0.9, 5)), 0.3);
  const Schedule rising = {.peak = 0.3, .warmup = 1000};
  EXPECT_DOUBLE_EQ(rising.rate_at(0.5, 99), 0.03);
  EXPECT_EQ((Schedule{.peak = 0.3}.rate_at(0.0, 0)), 0.3) << "no warm-up";
}

}  // namespace
}  // namespace headroom
