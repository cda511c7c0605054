// Images, language models and translation: what their weights are, what they may see.
#include <gtest/gtest.h>

#include "budget/cost.h"
#include "model/decoder.h"
#include "model/random_models.h"
#include "model/slice.h"
#include "model/tensor_checks.h"
#include "support.h"

namespace headroom {
namespace {

using testing::element_count;
using testing::expect_tensors;
using testing::largest_difference;
using testing::random_tensor;
using testing::random_weights;

ModelShape small_shape(AttentionKind kind) {
  return {.layers = 2,
          .width = 12,
          .heads = 3,
          .ffn = 10,
          .vocabulary = 15,
          .positions = 9,
          .attention = kind};
}

ModelShape image_shape(AttentionKind kind) {
  ModelShape shape = small_shape(kind);
  shape.patch_values = 8;
  shape.token_types = 0;
  return shape;
}

ModelShape language_shape(AttentionKind kind) {
  ModelShape shape = small_shape(kind);
  shape.causal = true;
  shape.token_types = 0;
  return shape;
}

ModelShape translation_shape(AttentionKind kind) {
  ModelShape shape = small_shape(kind);
  shape.decoder_layers = 2;
  return shape;
}

OutputHead head_of(const ModelShape& shape) {
  return shape.generates() ? OutputHead::language : OutputHead::classifier;
}

torch::Tensor random_tokens(int64_t rows, int64_t length, Random& random) {
  torch::Tensor tokens = torch::empty({rows, length}, torch::kInt64);
  for (int64_t i = 0; i < tokens.numel(); ++i) {
    tokens.data_ptr<int64_t>()[i] = static_cast<int64_t>(random.below(15));
  }
  return tokens;
}

Batch text_batch(torch::Tensor tokens) {
  Batch batch;
  batch.tokens = std::move(tokens);
  return batch;
}

TEST(TaskWeights, HaveTheNamesOfTheModelFileAndAreCountedExactly) {
  for (const AttentionKind kind : all_attention_kinds) {
    for (const ModelShape& shape :
         {image_shape(kind), language_shape(kind), translation_shape(kind)}) {
      const ModelWeights weights = fresh_weights(shape, 1, torch::kCPU, head_of(shape));
      expect_tensors(weights, tensor_specs(shape, head_of(shape)));
      EXPECT_EQ(parameter_count(shape, all_heads(shape.layers, shape.heads)),
                element_count(weights))
          << attention_name(kind);
    }
  }
}

TEST(TaskWeights, ACausalMixingStartsLowerTriangular) {
  ModelWeights weights =
      fresh_weights(language_shape(AttentionKind::super), 1, torch::kCPU, OutputHead::language);
  for_each_attention(weights, [](AttentionWeights& attention) {
    EXPECT_TRUE(torch::equal(attention.mixing, attention.mixing.tril()));
    EXPECT_FALSE(torch::equal(attention.mixing, attention.mixing.triu()));
  });
}

TEST(Images, EveryPatchAndItsPlaceMatter) {
  Random random{1};
  const ModelShape shape = image_shape(AttentionKind::standard);
  const ModelWeights weights = random_weights(shape, 1);
  Batch batch;
  batch.patches = random_tensor({2, 8, 8}, 1.0, random);
  const torch::Tensor logits = forward(weights, batch);
  EXPECT_EQ(logits.sizes(), (std::vector<int64_t>{2, shape.labels}));
  for (int64_t patch = 0; patch < 8; ++patch) {
    Batch changed = batch;
    changed.patches = batch.patches.clone();
    changed.patches.select(1, patch).add_(1.0);
    EXPECT_GT(largest_difference(forward(weights, changed), logits), 1e-4) << patch;
  }
  Batch swapped = batch;
  swapped.patches = batch.patches.flip(1);
  EXPECT_GT(largest_difference(forward(weights, swapped), logits), 1e-4);
}

TEST(Images, GatesAndSlicesAgree) {
  Random random{2};
  for (const AttentionKind kind : all_attention_kinds) {
    const ModelShape shape = image_shape(kind);
    const ModelWeights weights = random_weights(shape, 2);
    Batch batch;
    batch.patches = random_tensor({2, 8, 8}, 1.0, random);
    const Selection selection = testing::random_selection(shape, random);
    ForwardOptions masked;
    masked.gates = mask_of(selection, torch::kCPU);
    EXPECT_LT(largest_difference(forward(slice_model(weights, selection), batch),
                                 forward(weights, batch, masked)),
              1e-4)
        << attention_name(kind);
  }
}

TEST(LanguageModel, NoPredictionSeesItsFuture) {
  Random random{3};
  for (const AttentionKind kind : all_attention_kinds) {
    const ModelWeights weights = random_weights(language_shape(kind), 3, OutputHead::language);
    const torch::Tensor tokens = random_tokens(1, 9, random);
    const torch::Tensor logits = forward(weights, text_batch(tokens));
    torch::Tensor other = tokens.clone();
    other.narrow(1, 5, 4).copy_(random_tokens(1, 4, random));
    const torch::Tensor moved = forward(weights, text_batch(other));
    EXPECT_TRUE(torch::equal(moved.narrow(0, 0, 5), logits.narrow(0, 0, 5)))
        << attention_name(kind);
    EXPECT_GT(largest_difference(moved.narrow(0, 5, 4), logits.narrow(0, 5, 4)), 1e-4);
  }
}

TEST(LanguageModel, GoesOnFromWhatItRemembersAsFromTheWholeText) {
  Random random{4};
  for (const AttentionKind kind : all_attention_kinds) {
    const ModelShape shape = language_shape(kind);
    const ModelWeights whole = random_weights(shape, 4, OutputHead::language);
    for (const ModelWeights& weights :
         {whole, slice_model(whole, testing::random_selection(shape, random))}) {
      const torch::Tensor tokens = random_tokens(2, 9, random);
      const torch::Tensor expected = forward(weights, text_batch(tokens)).view({2, 9, -1});
      GenerationCache cache = empty_cache(weights);
      torch::Tensor next = next_logits(weights, tokens.narrow(1, 0, 4), cache, 1e-12);
      EXPECT_LT(largest_difference(next, expected.select(1, 3)), 1e-5);
      for (int64_t i = 4; i < 9; ++i) {
        next = next_logits(weights, tokens.narrow(1, i, 1), cache, 1e-12);
        EXPECT_LT(largest_difference(next, expected.select(1, i)), 1e-5)
            << attention_name(kind) << " at " << i;
      }
    }
  }
}

TEST(LanguageModel, ATextLongerThanTheModelReadsIsRefused) {
  Random random{5};
  const ModelWeights weights =
      random_weights(language_shape(AttentionKind::standard), 5, OutputHead::language);
  testing::expect_error(ErrorCode::bad_data, "10 tokens is longer than the 9",
                        [&] { forward(weights, text_batch(random_tokens(1, 10, random))); });
}

class Translation : public ::testing::TestWithParam<AttentionKind> {
 protected:
  ModelWeights weights_ = random_weights(translation_shape(GetParam()), 6, OutputHead::language);
  Random random_{7};

  // Two sentences of 4 and `length` words, padded to `padded`.
  Batch batch(int64_t length, int64_t padded) {
    Batch batch = text_batch(random_tokens(2, padded, random_));
    batch.key_bias = torch::zeros({2, 1, 1, padded});
    const double out = -std::numeric_limits<double>::infinity();
    batch.key_bias.select(0, 0).slice(-1, 4).fill_(out);
    batch.key_bias.select(0, 1).slice(-1, length).fill_(out);
    batch.target = random_tokens(2, 6, random_);
    return batch;
  }
};

TEST_P(Translation, NoPredictionSeesTheRestOfTheTranslation) {
  const Batch first = batch(5, 5);
  Batch other = first;
  other.target = first.target.clone();
  other.target.narrow(1, 3, 3).copy_(random_tokens(2, 3, random_));
  const auto logits = [&](const Batch& each) {
    return forward(weights_, each).view({2, 6, -1}).narrow(1, 0, 3);
  };
  EXPECT_TRUE(torch::equal(logits(first), logits(other)));
}

TEST_P(Translation, EveryWordOfTheSourceIsRead) {
  const Batch first = batch(5, 5);
  Batch other = first;
  other.tokens = first.tokens.clone();
  other.tokens[0][3] = (other.tokens[0][3].item<int64_t>() + 1) % 15;
  const torch::Tensor moved =
      (forward(weights_, other) - forward(weights_, first)).view({2, 6, -1});
  EXPECT_GT(moved[0].abs().min().item<double>(), 0) << "by every prediction";
  EXPECT_EQ(moved[1].abs().max().item<double>(), 0) << "of that sentence alone";
}

TEST_P(Translation, PaddingOfTheSourceChangesNothing) {
  const Batch tight = batch(5, 5);
  Batch padded = tight;
  padded.tokens = torch::cat({tight.tokens, random_tokens(2, 2, random_)}, 1);
  padded.key_bias = torch::cat(
      {tight.key_bias, torch::full({2, 1, 1, 2}, -std::numeric_limits<double>::infinity())}, 3);
  EXPECT_LT(largest_difference(forward(weights_, padded), forward(weights_, tight)), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(EveryKind, Translation, ::testing::ValuesIn(all_attention_kinds));

}  // namespace
}  // namespace headroom
