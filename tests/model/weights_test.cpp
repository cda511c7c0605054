#include "model/weights.h"

#include <gtest/gtest.h>

#include "budget/cost.h"
#include "families/schema.h"
#include "model/random_models.h"
#include "model/tensor_checks.h"

namespace headroom {
namespace {
using testing::element_count;
using testing::expect_tensors;
using testing::random_shape;

const ModelShape small = {.layers = 2, .width = 8, .heads = 2, .ffn = 12, .vocabulary = 11};

std::vector<torch::Tensor> tensors_of(ModelWeights weights) {
  std::vector<torch::Tensor> tensors;
  for_each_tensor(
      weights, [&](const std::string&, const torch::Tensor& tensor) { tensors.push_back(tensor); });
  return tensors;
}

bool all_equal(const ModelWeights& a, const ModelWeights& b) {
  const auto left = tensors_of(a);
  const auto right = tensors_of(b);
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const auto& x, const auto& y) { return torch::equal(x, y); });
}

TEST(Weights, HaveTheNamesAndShapesOfTheModelFile) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    Random random{seed};
    const ModelShape shape = random_shape(random);
    expect_tensors(fresh_weights(shape, seed, torch::kCPU), tensor_specs(shape));
  }
}

TEST(Weights, OfAMaskedLmHaveTheNamesAndShapesOfTheModelFile) {
  const ModelWeights weights = fresh_weights(small, 1, torch::kCPU, OutputHead::masked_lm);
  EXPECT_EQ(weights.head, OutputHead::masked_lm);
  expect_tensors(weights, tensor_specs(small, OutputHead::masked_lm));
  EXPECT_TRUE((weights.masked_head->bias == 0).all().item<bool>());
  EXPECT_TRUE((weights.masked_head->norm.weight == 1).all().item<bool>());
}

TEST(Weights, AreAsManyNumbersAsTheCostSays) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    Random random{seed};
    const ModelShape shape = random_shape(random);
    EXPECT_EQ(element_count(fresh_weights(shape, seed, torch::kCPU)),
              parameter_count(shape, all_heads(shape.layers, shape.heads)));
  }
}

TEST(Weights, FreshOnesDependOnTheSeedAlone) {
  torch::manual_seed(1);
  const ModelWeights first = fresh_weights(small, 7, torch::kCPU);
  torch::manual_seed(2);
  EXPECT_TRUE(all_equal(fresh_weights(small, 7, torch::kCPU), first));
  EXPECT_FALSE(all_equal(fresh_weights(small, 8, torch::kCPU), first));
}

TEST(Weights, FreshOnesHaveTheDocumentedSizes) {
  const auto size_of = [](const torch::Tensor& tensor) {
    return tensor.square().mean().sqrt().item<double>();
  };
  ModelShape shape = small;
  shape.width = 64;
  shape.vocabulary = 500;
  const ModelWeights weights = fresh_weights(shape, 1, torch::kCPU);
  EXPECT_NEAR(size_of(weights.words), 0.02, 0.001);
  EXPECT_NEAR(size_of(weights.positions), 0.04, 0.001);
  EXPECT_NEAR(size_of(weights.pooler.weight), 1.0 / 8, 0.01) << "Xavier: sqrt(2 / (64 + 64))";
  EXPECT_EQ(size_of(weights.pooler.bias), 0.0);
  EXPECT_TRUE((weights.layers[1].ffn_norm.weight == 1).all().item<bool>());
}

TEST(Weights, ACopySharesNothing) {
  const ModelWeights original = fresh_weights(small, 1, torch::kCPU);
  ModelWeights copy = copy_weights(original);
  EXPECT_TRUE(all_equal(copy, original));
  for_each_tensor(copy, [](const std::string&, torch::Tensor& tensor) { tensor.fill_(5); });
  EXPECT_TRUE(all_equal(original, fresh_weights(small, 1, torch::kCPU)));
}

TEST(Weights, ACopyOfTrainedTensorsNeedsNoGradients) {
  ModelWeights weights = fresh_weights(small, 1, torch::kCPU);
  weights.words.requires_grad_(true);
  EXPECT_FALSE(copy_weights(weights).words.requires_grad());
}

}  // namespace
}  // namespace headroom
