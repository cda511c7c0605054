#include "model/forward.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/head_gates.h"
#include "model/random_models.h"

namespace headroom {
namespace {
using testing::largest_difference;
using testing::random_batch;
using testing::random_case;
using testing::random_lengths;
using testing::random_shape;
using testing::random_weights;

constexpr uint64_t forward_models = 40;

// Rows [first, first + count) of a batch, cut to `length` tokens.
Batch part_of(const Batch& batch, int64_t first, int64_t count, int64_t length) {
  const auto cut = [&](const torch::Tensor& tensor) {
    return tensor.narrow(0, first, count).narrow(-1, 0, length);
  };
  return {cut(batch.tokens), cut(batch.types), cut(batch.key_bias), {}};
}

TEST(Forward, GivesOneLogitPerRowAndLabel) {
  Random random{1};
  ModelShape shape = random_shape(random);
  shape.labels = 3;
  const Batch batch = random_batch(shape, {4, 2}, random);
  EXPECT_EQ(forward(random_weights(shape, 1), batch).sizes(), (std::vector<int64_t>{2, 3}));
}

TEST(Forward, GatesOfOneAreTheDenseModel) {
  for (uint64_t seed = 0; seed < forward_models; ++seed) {
    Random random{seed};
    const ModelShape shape = random_shape(random);
    const ModelWeights weights = random_weights(shape, seed);
    const Batch batch = random_batch(shape, random_lengths(random), random);
    ForwardOptions gated;
    gated.gates = torch::ones({shape.layers, shape.heads});
    EXPECT_LE(largest_difference(forward(weights, batch, gated), forward(weights, batch)), 1e-6);
  }
}

TEST(Forward, BudgetOneIsTheDenseModelBitForBit) {
  const auto [shape, weights, batch] = random_case(2, {7, 3});
  const HeadGates gates = fresh_gates(shape.layers, shape.heads, false, 2, torch::kCPU);
  ForwardOptions bypass;
  bypass.gates = gates.values(1.0);
  EXPECT_TRUE(torch::equal(forward(weights, batch, bypass), forward(weights, batch)));
}

TEST(Forward, AClosedGateChangesTheLogits) {
  const auto [shape, weights, batch] = random_case(3, {6});
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    for (int64_t head = 0; head < shape.heads; ++head) {
      ForwardOptions one_closed;
      one_closed.gates = torch::ones({shape.layers, shape.heads});
      one_closed.gates[layer][head] = 0.0;
      EXPECT_GT(largest_difference(forward(weights, batch, one_closed), forward(weights, batch)),
                1e-5)
          << "layer " << layer << " head " << head;
    }
  }
}

TEST(Forward, MorePaddingChangesNoLogit) {
  for (uint64_t seed = 0; seed < forward_models; ++seed) {
    Random random{seed, 1};
    const ModelShape shape = random_shape(random);
    // A fresh model's logits are near 1, so 1e-6 is a few units in the last place.
    const ModelWeights weights = fresh_weights(shape, seed, torch::kCPU);
    const std::vector<int64_t> lengths = random_lengths(random);
    const int64_t longest = *std::max_element(lengths.begin(), lengths.end());
    const Batch padded =
        random_batch(shape, lengths, random, longest + 1 + static_cast<int64_t>(random.below(19)));
    const Batch tight = part_of(padded, 0, padded.size(), longest);
    EXPECT_LE(largest_difference(forward(weights, padded), forward(weights, tight)), 1e-6)
        << "seed " << seed;
  }
}

TEST(Forward, WhatStandsInThePaddingIsNeverRead) {
  const auto [shape, weights, batch] = random_case(4, {9, 4});
  Batch dirty = batch;
  dirty.tokens = batch.tokens.clone();
  dirty.tokens[1].slice(0, 4).fill_(shape.vocabulary - 1);
  EXPECT_LE(largest_difference(forward(weights, dirty), forward(weights, batch)), 1e-6);
}

TEST(Forward, ABatchIsItsRowsOneByOne) {
  for (uint64_t seed = 0; seed < forward_models; ++seed) {
    Random random{seed, 2};
    const ModelShape shape = random_shape(random);
    const ModelWeights weights = random_weights(shape, seed);
    const std::vector<int64_t> lengths = random_lengths(random);
    const Batch batch = random_batch(shape, lengths, random);
    const torch::Tensor together = forward(weights, batch);
    for (int64_t row = 0; row < batch.size(); ++row) {
      Batch alone = part_of(batch, row, 1, lengths[static_cast<size_t>(row)]);
      alone.key_bias = torch::Tensor();
      EXPECT_LE(largest_difference(together[row], forward(weights, alone)[0]), 1e-5)
          << "seed " << seed << " row " << row;
    }
  }
}

TEST(Forward, MissingTypesMeanTheFirstText) {
  Random random{5};
  const ModelShape shape = random_shape(random);
  const ModelWeights weights = random_weights(shape, 5);
  Batch batch = random_batch(shape, {5, 8}, random);
  batch.types.zero_();
  Batch untyped = batch;
  untyped.types = torch::Tensor();
  EXPECT_TRUE(torch::equal(forward(weights, untyped), forward(weights, batch)));
}

TEST(Forward, DropoutFollowsTheSeedOfTheGenerator) {
  Random random{6};
  const ModelShape shape = random_shape(random);
  const ModelWeights weights = random_weights(shape, 6);
  const Batch batch = random_batch(shape, {5}, random);
  ForwardOptions training;
  training.dropout = 0.5;
  const auto seeded = [&](uint64_t seed) {
    torch::manual_seed(seed);
    return forward(weights, batch, training);
  };
  EXPECT_TRUE(torch::equal(seeded(1), seeded(1)));
  EXPECT_FALSE(torch::equal(seeded(1), seeded(2)));
}

TEST(Forward, GatesPerExampleAreEachExampleAlone) {
  for (uint64_t seed = 0; seed < forward_models; ++seed) {
    Random random{seed, 3};
    const ModelShape shape = random_shape(random);
    const ModelWeights weights = random_weights(shape, seed);
    const std::vector<int64_t> lengths = random_lengths(random);
    const Batch batch = random_batch(shape, lengths, random);
    const int64_t B = batch.size();
    ForwardOptions together;
    together.gates = testing::random_tensor({shape.layers, B, shape.heads}, 1.0, random);
    together.ffn_gates = testing::random_tensor({shape.layers, B, shape.ffn}, 1.0, random);
    const torch::Tensor logits = forward(weights, batch, together);
    for (int64_t row = 0; row < B; ++row) {
      ForwardOptions alone;
      alone.gates = together.gates.select(1, row);
      alone.ffn_gates = together.ffn_gates.select(1, row);
      const Batch one = part_of(batch, row, 1, lengths[static_cast<size_t>(row)]);
      EXPECT_LE(largest_difference(logits[row], forward(weights, one, alone)[0]), 1e-5)
          << "seed " << seed << " row " << row;
    }
  }
}

TEST(Forward, FfnGatesOfOneAreTheDenseModel) {
  const auto [shape, weights, batch] = random_case(7, {5, 2});
  ForwardOptions gated;
  gated.ffn_gates = torch::ones({shape.layers, shape.ffn});
  EXPECT_TRUE(torch::equal(forward(weights, batch, gated), forward(weights, batch)));
}

TEST(Forward, AClosedNeuronIsAZeroColumn) {
  const auto [shape, weights, batch] = random_case(8, {6});
  ForwardOptions closed;
  closed.ffn_gates = torch::ones({shape.layers, shape.ffn});
  closed.ffn_gates[0][0] = 0;
  ModelWeights zeroed = copy_weights(weights);
  zeroed.layers[0].down.weight.select(1, 0).zero_();
  const torch::Tensor logits = forward(weights, batch, closed);
  EXPECT_LE(largest_difference(logits, forward(zeroed, batch)), 1e-6);
  EXPECT_GT(largest_difference(logits, forward(weights, batch)), 1e-6);
}

TEST(MaskedLogits, AreThoseOfThePlainFormulas) {
  for (uint64_t seed = 0; seed < forward_models; ++seed) {
    Random random{seed, 4};
    const ModelShape shape = random_shape(random);
    const ModelWeights weights = random_weights(shape, seed, OutputHead::masked_lm);
    const MaskedHead& head = *weights.masked_head;
    const double eps = 1e-3;
    const torch::Tensor rows = testing::random_tensor({3, shape.width}, 1.0, random);
    torch::Tensor x = rows.matmul(head.transform.weight.t()) + head.transform.bias;
    x = 0.5 * x * (1 + torch::erf(x / std::sqrt(2.0)));
    const torch::Tensor mean = x.mean(-1, true);
    const torch::Tensor variance = (x - mean).square().mean(-1, true);
    x = (x - mean) / (variance + eps).sqrt() * head.norm.weight + head.norm.bias;
    const torch::Tensor expected = x.matmul(weights.words.t()) + head.bias;
    const torch::Tensor logits = masked_logits(weights, rows, eps);
    EXPECT_EQ(logits.sizes(), (std::vector<int64_t>{3, shape.vocabulary}));
    EXPECT_LE(largest_difference(logits, expected), 1e-5) << "seed " << seed;
  }
}

}  // namespace
}  // namespace headroom
