#include "train/loop/parameters.h"

#include <gtest/gtest.h>

#include "train/stages/losses.h"
#include "train/tiny.h"

namespace headroom {
namespace {
using testing::tiny_model;

bool is_inside(const torch::Tensor& view, const torch::Tensor& buffer) {
  const auto* first = buffer.data_ptr<float>();
  const auto* start = view.data_ptr<float>();
  return start >= first && start + view.numel() <= first + buffer.numel();
}

torch::Tensor gated_loss(const ElasticModel& model) {
  const Batch batch = testing::tiny_source()->batch(0);
  const torch::Tensor gates = model.gates->values(0.4);
  return task_loss(forward(model.weights, batch, model.evaluation(gates)), batch.labels, 0.0);
}

TEST(Parameters, EveryTensorIsAViewOfAFlatBuffer) {
  ElasticModel model = tiny_model();
  Parameters parameters(model, {});
  auto& groups = parameters.groups();
  ASSERT_EQ(groups.size(), 3U);
  int64_t elements = 0;
  for (const torch::Tensor& tensor : testing::tensors_of(model)) {
    EXPECT_TRUE(is_inside(tensor, groups[0].values) || is_inside(tensor, groups[1].values) ||
                is_inside(tensor, groups[2].values));
    elements += tensor.numel();
  }
  EXPECT_EQ(groups[0].values.numel() + groups[1].values.numel() + groups[2].values.numel(),
            elements);
}

TEST(Parameters, TheModelKeepsItsValues) {
  ElasticModel model = tiny_model();
  const Parameters parameters(model, {});
  EXPECT_TRUE(testing::same_bits(model, tiny_model()));
}

TEST(Parameters, WritingTheBufferWritesTheModel) {
  ElasticModel model = tiny_model();
  Parameters parameters(model, {});
  for (ParameterGroup& group : parameters.groups()) group.values.fill_(7);
  for (const torch::Tensor& tensor : testing::tensors_of(model)) {
    EXPECT_TRUE((tensor == 7).all().item<bool>());
  }
}

TEST(Parameters, AModelWithoutGatesHasTwoGroups) {
  ElasticModel model = tiny_model();
  model.gates.reset();
  EXPECT_EQ(Parameters(model, {}).groups().size(), 2U);
}

TEST(Parameters, GatesLearnFasterAndNeverDecay) {
  ElasticModel model = tiny_model();
  Parameters parameters(model, {.weight_decay = 0.2, .gate_rate_factor = 7});
  const auto& groups = parameters.groups();
  EXPECT_EQ(groups[0].weight_decay, 0.2);
  EXPECT_EQ(groups[1].weight_decay, 0.0);
  EXPECT_EQ(groups[2].weight_decay, 0.0);
  EXPECT_EQ(groups[1].rate_factor, 1.0);
  EXPECT_EQ(groups[2].rate_factor, 7.0);
}

TEST(Parameters, BackwardFillsTheFlatGradient) {
  ElasticModel flat = tiny_model();
  Parameters parameters(flat, {});
  parameters.zero_gradients();
  gated_loss(flat).backward();

  ElasticModel plain = tiny_model();  // ordinary leaves, ordinary gradients
  std::vector<torch::Tensor> matrices;
  std::vector<torch::Tensor> vectors;
  for_each_tensor(plain.weights, [&](const std::string&, torch::Tensor& tensor) {
    (tensor.dim() > 1 ? matrices : vectors).push_back(tensor.requires_grad_(true));
  });
  plain.gates->offset.requires_grad_(true);
  plain.gates->slope.requires_grad_(true);
  gated_loss(plain).backward();

  const auto gradients = [](const std::vector<torch::Tensor>& tensors) {
    std::vector<torch::Tensor> flattened;
    for (const torch::Tensor& tensor : tensors) flattened.push_back(tensor.grad().flatten());
    return torch::cat(flattened);
  };
  const auto& groups = parameters.groups();
  EXPECT_GT(groups[0].gradient.abs().max().item<double>(), 0.0);
  EXPECT_TRUE(torch::equal(groups[0].gradient, gradients(matrices)));
  EXPECT_TRUE(torch::equal(groups[1].gradient, gradients(vectors)));
  EXPECT_TRUE(
      torch::equal(groups[2].gradient, gradients({plain.gates->offset, plain.gates->slope})));
}

TEST(Parameters, GradientsAddUpUntilZeroed) {
  ElasticModel model = tiny_model();
  Parameters parameters(model, {});
  gated_loss(model).backward();
  const torch::Tensor once = parameters.groups()[0].gradient.clone();
  gated_loss(model).backward();
  EXPECT_TRUE(torch::allclose(parameters.groups()[0].gradient, 2 * once));
  parameters.zero_gradients();
  for (const ParameterGroup& group : parameters.groups()) {
    EXPECT_EQ(group.gradient.abs().max().item<double>(), 0.0);
  }
  gated_loss(model).backward();
  EXPECT_TRUE(torch::equal(parameters.groups()[0].gradient, once)) << "still wired after zeroing";
}

TEST(Parameters, ASnapshotBringsBackWhatWasThere) {
  ElasticModel model = tiny_model();
  Parameters parameters(model, {});
  const auto saved = parameters.snapshot();
  for (ParameterGroup& group : parameters.groups()) group.values.add_(1);
  EXPECT_FALSE(testing::same_bits(model, tiny_model()));
  parameters.restore(saved);
  EXPECT_TRUE(testing::same_bits(model, tiny_model()));
}

TEST(Parameters, MomentsCanBeForgotten) {
  ElasticModel model = tiny_model();
  Parameters parameters(model, {});
  for (ParameterGroup& group : parameters.groups()) {
    group.mean.fill_(1);
    group.square.fill_(1);
  }
  parameters.reset_moments();
  for (const ParameterGroup& group : parameters.groups()) {
    EXPECT_EQ(group.mean.abs().sum().item<double>() + group.square.sum().item<double>(), 0.0);
  }
}

}  // namespace
}  // namespace headroom
