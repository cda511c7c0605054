// The reference is the masked model: all heads computed, some multiplied by 0.
#include "model/slice.h"

#include <gtest/gtest.h>

#include "budget/cost.h"
#include "model/forward.h"
#include "model/random_models.h"

namespace headroom {
namespace {
using testing::largest_difference;
using testing::random_batch;
using testing::random_lengths;
using testing::random_selection;
using testing::random_shape;
using testing::random_weights;

constexpr uint64_t models = 150;

ForwardOptions with_gates(torch::Tensor gates) {
  ForwardOptions options;
  options.gates = std::move(gates);
  return options;
}

int64_t element_count(ModelWeights weights) {
  int64_t elements = 0;
  for_each_tensor(weights, [&](const std::string&, const torch::Tensor& tensor) {
    elements += tensor.numel();
  });
  return elements;
}

TEST(Slice, TheMaskIsOneForKeptHeadsOnly) {
  const Selection selection{3, {{0, 2}, {1}}};
  const torch::Tensor expected = torch::tensor({{1.0F, 0.0F, 1.0F}, {0.0F, 1.0F, 0.0F}});
  EXPECT_TRUE(torch::equal(mask_of(selection, torch::kCPU), expected));
}

TEST(Slice, SlicedEqualsMasked) {
  for (uint64_t seed = 0; seed < models; ++seed) {
    Random random{seed};
    const ModelShape shape = random_shape(random);
    const ModelWeights weights = random_weights(shape, seed);
    const Selection selection = random_selection(shape, random);
    const Batch batch = random_batch(shape, random_lengths(random), random);
    const torch::Tensor masked =
        forward(weights, batch, with_gates(mask_of(selection, torch::kCPU)));
    const torch::Tensor sliced = forward(slice_model(weights, selection), batch);
    EXPECT_LE(largest_difference(masked, sliced), 1e-5) << "seed " << seed;
  }
}

TEST(Slice, SoftGatesFoldIntoTheOutputProjection) {
  for (uint64_t seed = 0; seed < models; ++seed) {
    Random random{seed, 1};
    const ModelShape shape = random_shape(random);
    const ModelWeights weights = random_weights(shape, seed);
    const Selection selection = random_selection(shape, random);
    const torch::Tensor gates =
        torch::sigmoid(testing::random_tensor({shape.layers, shape.heads}, 2.0, random));
    const Batch batch = random_batch(shape, random_lengths(random), random);
    const torch::Tensor masked =
        forward(weights, batch, with_gates(gates * mask_of(selection, torch::kCPU)));
    const torch::Tensor sliced = forward(slice_model(weights, selection, gates), batch);
    EXPECT_LE(largest_difference(masked, sliced), 1e-5) << "seed " << seed;
  }
}

TEST(Slice, KeepingEveryHeadIsTheSameModel) {
  Random random{1};
  const ModelShape shape = random_shape(random);
  const ModelWeights weights = random_weights(shape, 1);
  const Batch batch = random_batch(shape, {6, 3}, random);
  const ModelWeights all = slice_model(weights, all_heads(shape.layers, shape.heads));
  EXPECT_TRUE(torch::equal(forward(all, batch), forward(weights, batch)));
}

TEST(Slice, KeepsAsManyNumbersAsTheCostSays) {
  for (uint64_t seed = 0; seed < models; ++seed) {
    Random random{seed, 2};
    const ModelShape shape = random_shape(random);
    const Selection selection = random_selection(shape, random);
    const ModelWeights sliced = slice_model(fresh_weights(shape, seed, torch::kCPU), selection);
    EXPECT_EQ(element_count(sliced), parameter_count(shape, selection));
  }
}

TEST(Slice, LeavesTheOriginalUntouched) {
  Random random{2};
  const ModelShape shape = random_shape(random);
  ModelWeights weights = random_weights(shape, 2);
  ModelWeights before = copy_weights(weights);
  ModelWeights sliced = slice_model(weights, random_selection(shape, random),
                                    torch::full({shape.layers, shape.heads}, 0.5));
  for_each_tensor(sliced, [](const std::string&, torch::Tensor& tensor) { tensor.zero_(); });
  EXPECT_EQ(weights.layers[0].attention.heads, shape.heads);
  EXPECT_TRUE(torch::equal(weights.words, before.words));
  EXPECT_TRUE(torch::equal(weights.layers[0].attention.output.weight,
                           before.layers[0].attention.output.weight));
}

}  // namespace
}  // namespace headroom
