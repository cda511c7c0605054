// The reference is the masked model: all heads computed, some multiplied by 0.
#include "model/slice.h"

#include <gtest/gtest.h>

#include "budget/cost.h"
#include "model/attention.h"
#include "model/forward.h"
#include "model/random_models.h"
#include "model/tensor_checks.h"

namespace headroom {
namespace {
using testing::element_count;
using testing::largest_difference;
using testing::random_batch;
using testing::random_case;
using testing::random_lengths;
using testing::random_prefixes;
using testing::random_selection;
using testing::random_shape;
using testing::random_weights;

constexpr uint64_t models = 150;

ForwardOptions with_gates(torch::Tensor gates) {
  ForwardOptions options;
  options.gates = std::move(gates);
  return options;
}

// The reference for selections of heads and neurons.
torch::Tensor masked_forward(const ModelWeights& weights, const Selection& selection,
                             const Batch& batch) {
  ForwardOptions options = with_gates(mask_of(selection, torch::kCPU));
  options.ffn_gates = ffn_mask_of(selection, weights.layers[0].up.weight.size(0), torch::kCPU);
  return forward(weights, batch, options);
}

TEST(Slice, TheMaskIsOneForKeptHeadsOnly) {
  const Selection selection{3, {{0, 2}, {1}}, {}};
  const torch::Tensor expected = torch::tensor({{1.0F, 0.0F, 1.0F}, {0.0F, 1.0F, 0.0F}});
  EXPECT_TRUE(torch::equal(mask_of(selection, torch::kCPU), expected));
}

TEST(Slice, TheFfnMaskIsOneForTheFirstNeurons) {
  const Selection selection{1, {{0}, {0}}, {2, 0}};
  const torch::Tensor expected = torch::tensor({{1.0F, 1.0F, 0.0F}, {0.0F, 0.0F, 0.0F}});
  EXPECT_TRUE(torch::equal(ffn_mask_of(selection, 3, torch::kCPU), expected));
  EXPECT_TRUE(torch::equal(ffn_mask_of(all_heads(2, 1), 3, torch::kCPU), torch::ones({2, 3})));
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

// MPNet's bias belongs to a head's number, not to its place.
TEST(Slice, HeadsKeepTheirRelativeBias) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Random random{seed};
    ModelShape shape = random_shape(random);
    shape.attention = AttentionKind::standard;
    shape.family = "mpnet";
    shape.token_types = 0;
    shape.padding_position = 1;
    shape.relative_buckets = 32;
    const ModelWeights weights = random_weights(shape, seed);
    const Batch batch = random_batch(shape, random_lengths(random), random);
    const Selection selection = random_selection(shape, random);
    const ModelWeights sliced = slice_model(weights, selection);
    const torch::Tensor masked = masked_forward(weights, selection, batch);
    EXPECT_LE(largest_difference(masked, forward(sliced, batch)), 1e-5) << "seed " << seed;
    const Selection prefixes = random_prefixes(shape, random);
    EXPECT_LE(largest_difference(masked_forward(weights, prefixes, batch),
                                 forward(prefix_view(weights, prefixes), batch)),
              1e-5)
        << "seed " << seed;
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
  const auto [shape, weights, batch] = random_case(1, {6, 3});
  const ModelWeights all = slice_model(weights, all_heads(shape.layers, shape.heads));
  EXPECT_TRUE(torch::equal(forward(all, batch), forward(weights, batch)));
}

void expect_counted(Selection (*draw)(const ModelShape&, Random&)) {
  for (uint64_t seed = 0; seed < models; ++seed) {
    Random random{seed, 2};
    const ModelShape shape = random_shape(random);
    const Selection selection = draw(shape, random);
    const ModelWeights sliced = slice_model(fresh_weights(shape, seed, torch::kCPU), selection);
    EXPECT_EQ(element_count(sliced), parameter_count(shape, selection));
  }
}

TEST(Slice, KeepsAsManyNumbersAsTheCostSays) {
  expect_counted(random_selection);
}

TEST(Slice, NeuronsAreCountedToo) {
  expect_counted(random_prefixes);
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

TEST(ExpandModel, IsUndoneBySlicing) {
  for (uint64_t seed = 0; seed < models; ++seed) {
    Random random{seed, 10};
    const ModelShape shape = random_shape(random);
    const Selection selection = random_selection(shape, random);
    const ModelWeights compact = slice_model(random_weights(shape, seed), selection);
    const ModelWeights whole = expand_model(compact, shape, selection);
    EXPECT_EQ(whole.layers[0].attention.query.weight.size(0), shape.width);
    const Batch batch = random_batch(shape, random_lengths(random), random);
    EXPECT_TRUE(
        torch::equal(forward(slice_model(whole, selection), batch), forward(compact, batch)))
        << "seed " << seed;
  }
}

TEST(ReorderUnits, RefusesToMoveHeadsThatReadTheirColumns) {
  ModelShape shape = {.layers = 1, .width = 6, .heads = 3, .ffn = 2, .vocabulary = 9};
  shape.attention = AttentionKind::efficient;
  ModelWeights weights = random_weights(shape, 1);
  reorder_units(weights, {{{0, 1, 2}}, {{1, 0}}});
  EXPECT_THROW(reorder_units(weights, {{{2, 1, 0}}, {{1, 0}}}), c10::Error);
}

TEST(PrefixView, IsTheSlicedModelBitForBit) {
  for (uint64_t seed = 0; seed < models; ++seed) {
    Random random{seed, 4};
    const ModelShape shape = random_shape(random);
    const ModelWeights weights = random_weights(shape, seed);
    const Selection selection = random_prefixes(shape, random);
    const Batch batch = random_batch(shape, random_lengths(random), random);
    EXPECT_TRUE(torch::equal(forward(prefix_view(weights, selection), batch),
                             forward(slice_model(weights, selection), batch)))
        << "seed " << seed;
  }
}

TEST(PrefixView, EqualsMasked) {
  for (uint64_t seed = 0; seed < models; ++seed) {
    Random random{seed, 5};
    const ModelShape shape = random_shape(random);
    const ModelWeights weights = random_weights(shape, seed);
    const Selection selection = random_prefixes(shape, random);
    const Batch batch = random_batch(shape, random_lengths(random), random);
    EXPECT_LE(largest_difference(forward(prefix_view(weights, selection), batch),
                                 masked_forward(weights, selection, batch)),
              1e-5)
        << "seed " << seed;
  }
}

TEST(PrefixView, OfEverythingIsTheModelBitForBit) {
  const auto [shape, weights, batch] = random_case(1, {6, 3});
  const ModelWeights all = prefix_view(weights, all_heads(shape.layers, shape.heads));
  EXPECT_TRUE(torch::equal(forward(all, batch), forward(weights, batch)));
}

TEST(PrefixView, SharesItsMemoryWithTheModel) {
  Random random{2};
  const ModelShape shape = random_shape(random);
  const ModelWeights weights = random_weights(shape, 2);
  const ModelWeights view = prefix_view(weights, random_prefixes(shape, random));
  for (size_t i = 0; i < view.layers.size(); ++i) {
    EXPECT_EQ(view.layers[i].attention.output.weight.data_ptr(),
              weights.layers[i].attention.output.weight.data_ptr());
    EXPECT_EQ(view.layers[i].up.weight.data_ptr(), weights.layers[i].up.weight.data_ptr());
  }
  EXPECT_EQ(weights.layers[0].attention.heads, shape.heads) << "the model itself stays whole";
}

TEST(PrefixView, RefusesHeadsThatAreNotTheFirst) {
  const ModelWeights weights =
      random_weights({.layers = 1, .width = 12, .heads = 3, .ffn = 4, .vocabulary = 9}, 1);
  EXPECT_THROW(prefix_view(weights, {3, {{0, 2}}, {}}), c10::Error);
  EXPECT_THROW(prefix_view(weights, {3, {{1}}, {}}), c10::Error);
}

// Rows [0, kept) of a gradient all hold something, the rest exactly nothing.
void expect_only_first_rows(const char* name, const torch::Tensor& gradient, int64_t kept) {
  const torch::Tensor rows = gradient.reshape({gradient.size(0), -1}).abs().amax(1);
  EXPECT_TRUE((rows.narrow(0, 0, kept) > 0).all().item<bool>()) << name;
  EXPECT_TRUE((rows.slice(0, kept) == 0).all().item<bool>()) << name;
}

TEST(PrefixView, GradientsFlowIntoThePrefixAndNowhereElse) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random{seed, 6};
    const ModelShape shape = random_shape(random);
    ModelWeights weights = random_weights(shape, seed);
    for_each_tensor(weights, [](const std::string&, torch::Tensor& tensor) {
      tensor = tensor.detach().requires_grad_(true);
    });
    const Selection selection = random_prefixes(shape, random);
    // Only the first token of a row counts in the last layer: many rows, or a neuron stays silent.
    const Batch batch = random_batch(shape, std::vector<int64_t>(20, 7), random);
    forward(prefix_view(weights, selection), batch).square().sum().backward();
    for (size_t i = 0; i < weights.layers.size(); ++i) {
      const LayerWeights& layer = weights.layers[i];
      const auto rows = static_cast<int64_t>(selection.kept[i].size()) * shape.head_width();
      expect_only_first_rows("query", layer.attention.query.weight.grad(), rows);
      if (has_key_projection(shape.attention)) {
        expect_only_first_rows("key", layer.attention.key.weight.grad(), rows);
      }
      if (has_value_projection(shape.attention)) {
        expect_only_first_rows("value", layer.attention.value.weight.grad(), rows);
        expect_only_first_rows("value bias", layer.attention.value.bias.grad(), rows);
      }
      expect_only_first_rows("output", layer.attention.output.weight.grad().t(), rows);
      expect_only_first_rows("up", layer.up.weight.grad(), selection.ffn[i]);
      expect_only_first_rows("up bias", layer.up.bias.grad(), selection.ffn[i]);
      expect_only_first_rows("down", layer.down.weight.grad().t(), selection.ffn[i]);
    }
  }
}

std::vector<int64_t> random_permutation(int64_t count, Random& random) {
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int64_t>(i);
  random.shuffle(numbers);
  return numbers;
}

TEST(ReorderUnits, LeavesTheFunctionAsItWas) {
  for (uint64_t seed = 0; seed < models; ++seed) {
    Random random{seed, 7};
    ModelShape shape = random_shape(random);
    shape.attention = AttentionKind::standard;  // in other kinds heads cannot move
    const ModelWeights weights = random_weights(shape, seed);
    ModelWeights moved = copy_weights(weights);
    UnitPermutation permutation;
    for (int64_t layer = 0; layer < shape.layers; ++layer) {
      permutation.heads.push_back(random_permutation(shape.heads, random));
      permutation.neurons.push_back(random_permutation(shape.ffn, random));
    }
    reorder_units(moved, permutation);
    const Batch batch = random_batch(shape, random_lengths(random), random);
    EXPECT_LE(largest_difference(forward(moved, batch), forward(weights, batch)), 1e-5)
        << "seed " << seed;
  }
}

TEST(ReorderUnits, PutsTheNamedUnitFirst) {
  const ModelShape shape = {.layers = 1, .width = 6, .heads = 3, .ffn = 4, .vocabulary = 9};
  const ModelWeights weights = random_weights(shape, 1);
  ModelWeights moved = copy_weights(weights);
  reorder_units(moved, {{{2, 0, 1}}, {{3, 1, 0, 2}}});
  const LayerWeights& before = weights.layers[0];
  const LayerWeights& after = moved.layers[0];
  const auto rows = [](const torch::Tensor& tensor, int64_t first) {
    return tensor.narrow(0, first, 2);
  };
  EXPECT_TRUE(
      torch::equal(rows(after.attention.query.weight, 0), rows(before.attention.query.weight, 4)));
  EXPECT_TRUE(torch::equal(rows(after.attention.key.bias, 0), rows(before.attention.key.bias, 4)));
  EXPECT_TRUE(
      torch::equal(rows(after.attention.value.weight, 2), rows(before.attention.value.weight, 0)));
  EXPECT_TRUE(torch::equal(rows(after.attention.output.weight.t(), 4),
                           rows(before.attention.output.weight.t(), 2)));
  EXPECT_TRUE(torch::equal(after.up.weight[0], before.up.weight[3]));
  EXPECT_TRUE(torch::equal(after.up.bias[3], before.up.bias[2]));
  EXPECT_TRUE(torch::equal(after.down.weight.t()[2], before.down.weight.t()[0]));
  EXPECT_TRUE(torch::equal(after.down.bias, before.down.bias));
}

TEST(ReorderUnits, KeepsTheTensorsWhereTheyAre) {
  ModelWeights weights =
      random_weights({.layers = 1, .width = 6, .heads = 3, .ffn = 2, .vocabulary = 9}, 1);
  weights.layers[0].up.weight.requires_grad_(true);
  const void* memory = weights.layers[0].up.weight.data_ptr();
  reorder_units(weights, {{{2, 1, 0}}, {{1, 0}}});
  EXPECT_EQ(weights.layers[0].up.weight.data_ptr(), memory);
  EXPECT_TRUE(weights.layers[0].up.weight.requires_grad());
}

TEST(EmptyLayer, IsTheModelWithoutThatLayer) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Random random{seed, 8};
    const ModelShape shape = random_shape(random);
    const ModelWeights weights = random_weights(shape, seed);
    const Batch batch = random_batch(shape, random_lengths(random), random);
    const auto gone = static_cast<size_t>(random.below(static_cast<uint64_t>(shape.layers)));
    Selection selection = all_heads(shape.layers, shape.heads);
    selection.kept[gone].clear();
    selection.ffn.assign(static_cast<size_t>(shape.layers), shape.ffn);
    selection.ffn[gone] = 0;
    ModelWeights without = weights;
    without.layers.erase(without.layers.begin() + static_cast<std::ptrdiff_t>(gone));
    const torch::Tensor expected = forward(without, batch);
    EXPECT_TRUE(torch::equal(forward(slice_model(weights, selection), batch), expected));
    EXPECT_TRUE(torch::equal(forward(prefix_view(weights, selection), batch), expected));
  }
}

// A model of one layer, the input of that layer and how it adds and normalises.
struct OneLayer {
  explicit OneLayer(uint64_t seed) : random{seed, 9} {
    shape = random_shape(random);
    shape.layers = 1;
    weights = random_weights(shape, seed);
    batch = random_batch(shape, random_lengths(random), random);
    ModelWeights embeddings = weights;
    embeddings.layers.clear();
    x = encode(embeddings, batch);
  }
  static torch::Tensor add_and_normalise(const torch::Tensor& x, const torch::Tensor& y,
                                         const Norm& norm) {
    return torch::layer_norm(x + y, {x.size(-1)}, norm.weight, norm.bias, 1e-12);
  }

  Random random;
  ModelShape shape;
  ModelWeights weights;
  Batch batch;
  torch::Tensor x;
};

TEST(LayerWithoutHeads, SkipsItsAttentionWithResidualAndNorm) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const OneLayer one(seed);
    const LayerWeights& layer = one.weights.layers[0];
    const torch::Tensor wide =
        torch::linear(torch::gelu(torch::linear(one.x, layer.up.weight, layer.up.bias)),
                      layer.down.weight, layer.down.bias);
    const Selection selection{one.shape.heads, {{}}, {one.shape.ffn}};
    EXPECT_LE(largest_difference(encode(prefix_view(one.weights, selection), one.batch),
                                 OneLayer::add_and_normalise(one.x, wide, layer.ffn_norm)),
              1e-6);
  }
}

TEST(LayerWithoutNeurons, SkipsItsFfnWithResidualAndNorm) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const OneLayer one(seed);
    const LayerWeights& layer = one.weights.layers[0];
    const torch::Tensor mixed = attention(layer.attention, one.x, one.batch.key_bias, {}, 0.0);
    Selection selection = all_heads(1, one.shape.heads);
    selection.ffn = {0};
    EXPECT_LE(largest_difference(encode(prefix_view(one.weights, selection), one.batch),
                                 OneLayer::add_and_normalise(one.x, mixed, layer.attention_norm)),
              1e-6);
  }
}

}  // namespace
}  // namespace headroom
