// Which units matter, and a model stored in that order.
#include "train/stages/unit_importance.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support.h"
#include "train/stages/losses.h"
#include "train/tiny.h"

namespace headroom {
namespace {
using testing::largest_difference;
using testing::tiny_model;
using testing::tiny_shape;
using testing::tiny_validation;

torch::Tensor logits_of(const ElasticModel& model) {
  const torch::NoGradGuard no_gradients;
  return forward(model.weights, tiny_validation()[0], model.evaluation());
}

// Head 1 of layer 0 and neuron 3 of layer 1 write nothing.
ElasticModel model_with_idle_units() {
  ElasticModel model = tiny_model();
  model.weights.layers[0].attention.output.weight.narrow(1, 4, 4).zero_();
  model.weights.layers[1].down.weight.select(1, 3).zero_();
  return model;
}

TEST(MeasureImportance, IsTheMeanOverExamplesOfTheGatesGradient) {
  const ElasticModel model = tiny_model();
  const EncodedDataset data = encode_synthetic(testing::tiny_task, 99, 0, 6);
  torch::Tensor expected = torch::zeros({2, 4});
  for (const Batch& alone : evaluation_batches(data, 1, torch::kCPU)) {
    const torch::Tensor gates = torch::ones({2, 4}).requires_grad_(true);
    const torch::Tensor loss =
        task_loss(forward(model.weights, alone, model.evaluation(gates)), alone.labels, 0.0);
    expected += torch::autograd::grad({loss}, {gates})[0].abs() / 6;
  }
  const UnitImportance found = measure_importance(model, evaluation_batches(data, 4, torch::kCPU));
  for (size_t layer = 0; layer < 2; ++layer) {
    for (size_t head = 0; head < 4; ++head) {
      EXPECT_NEAR(found.heads[layer][head],
                  expected[static_cast<int64_t>(layer)][static_cast<int64_t>(head)].item<double>(),
                  1e-6);
    }
  }
}

TEST(MeasureImportance, HasANumberForEveryUnit) {
  const UnitImportance found = measure_importance(tiny_model(), tiny_validation());
  ASSERT_EQ(found.heads.size(), 2U);
  ASSERT_EQ(found.neurons.size(), 2U);
  EXPECT_EQ(found.heads[1].size(), 4U);
  EXPECT_EQ(found.neurons[1].size(), 32U);
  for (const double score : found.neurons[0]) EXPECT_GT(score, 0);
}

TEST(MeasureImportance, OfAUnitThatWritesNothingIsZero) {
  const UnitImportance found = measure_importance(model_with_idle_units(), tiny_validation());
  EXPECT_EQ(found.heads[0][1], 0);
  EXPECT_EQ(found.neurons[1][3], 0);
  EXPECT_GT(found.heads[0][0], 0);
}

TEST(MeasureImportance, LeavesNoGradientsBehind) {
  ElasticModel model = tiny_model();
  model.weights.words.requires_grad_(true);
  measure_importance(model, tiny_validation());
  EXPECT_FALSE(model.weights.words.grad().defined());
}

TEST(ByImportance, PutsTheMostImportantFirstAndKeepsTies) {
  const UnitPermutation order = by_importance({{{0.1, 0.5, 0.5}}, {{3, 1, 2, 3}}});
  EXPECT_EQ(order.heads[0], (std::vector<int64_t>{1, 2, 0}));
  EXPECT_EQ(order.neurons[0], (std::vector<int64_t>{0, 3, 2, 1}));
}

TEST(OrderFor, FollowsTheSettings) {
  const ModelShape shape = tiny_shape();
  const UnitImportance sorted = {{{4, 3, 2, 1}, {4, 3, 2, 1}},
                                 {std::vector<double>(32, 1.0), std::vector<double>(32, 1.0)}};
  NestedSettings settings;
  EXPECT_EQ(order_for(shape, sorted, settings), uniform_order(shape, 4));
  settings.group_width = 16;
  EXPECT_EQ(order_for(shape, sorted, settings), uniform_order(shape, 16));
  settings.allocation = Allocation::depth;
  EXPECT_EQ(order_for(shape, sorted, settings), depth_order(shape, 16));
  settings.scope = Scope::heads;
  EXPECT_EQ(order_for(shape, sorted, settings), depth_order(shape, 0));
}

TEST(OrderFor, ARankedGroupIsWorthTheSumOfItsNeurons) {
  const ModelShape shape = tiny_shape();
  UnitImportance sorted = {{{4, 3, 2, 1}, {4, 3, 2, 1}}, {{}, {}}};
  for (int i = 0; i < 32; ++i) {
    sorted.neurons[0].push_back(32 - i);
    sorted.neurons[1].push_back(2 * (32 - i));
  }
  NestedSettings settings;
  settings.allocation = Allocation::ranked;
  settings.group_width = 16;
  const UnitScores scores = {sorted.heads, {{392, 136}, {784, 272}}};
  EXPECT_EQ(order_for(shape, sorted, settings), ranked_order(shape, 16, scores));
}

TEST(ArrangeUnits, LeavesTheFunctionAsItWas) {
  ElasticModel model = tiny_model();
  const torch::Tensor before = logits_of(model);
  arrange_units(model, tiny_validation(), {});
  EXPECT_LE(largest_difference(logits_of(model), before), 1e-5);
  EXPECT_EQ(model.order, uniform_order(tiny_shape(), 4));
}

TEST(ArrangeUnits, StoresTheMostImportantFirst) {
  ElasticModel model = tiny_model();
  arrange_units(model, tiny_validation(), {});
  const UnitImportance sorted = measure_importance(model, tiny_validation());
  for (size_t layer = 0; layer < 2; ++layer) {
    for (const auto& scores : {sorted.heads[layer], sorted.neurons[layer]}) {
      for (size_t i = 1; i < scores.size(); ++i) EXPECT_LE(scores[i], scores[i - 1] + 1e-6);
    }
  }
}

TEST(ArrangeUnits, AUnitThatWritesNothingComesLast) {
  ElasticModel model = model_with_idle_units();
  arrange_units(model, tiny_validation(), {});
  const LayerWeights& first = model.weights.layers[0];
  const LayerWeights& second = model.weights.layers[1];
  EXPECT_EQ(first.attention.output.weight.narrow(1, 12, 4).abs().max().item<double>(), 0);
  EXPECT_GT(first.attention.output.weight.narrow(1, 4, 4).abs().max().item<double>(), 0);
  EXPECT_EQ(second.down.weight.select(1, 31).abs().max().item<double>(), 0);
}

TEST(ArrangeUnits, AGroupWidthThatDoesNotDivideTheFfnIsAUsageError) {
  ElasticModel model = tiny_model();
  NestedSettings settings;
  settings.group_width = 5;
  testing::expect_error(ErrorCode::usage, "groups of 5",
                        [&] { arrange_units(model, tiny_validation(), settings); });
}

}  // namespace
}  // namespace headroom
