#include "budget/cost.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

ModelShape bert_mini() {
  return {.layers = 4, .width = 256, .heads = 4, .ffn = 1024, .vocabulary = 30522, .labels = 4};
}

TEST(Cost, DenseLayerMatchesTheTextbookFormula) {
  ModelShape shape = bert_mini();
  shape.layers = 1;
  const double n = 128;
  const double D = 256;
  const Cost cost = cost_of(shape, all_heads(1, 4), 128);
  EXPECT_DOUBLE_EQ(cost.attention_macs, 4 * n * D * D + 2 * n * n * D);
  EXPECT_DOUBLE_EQ(cost.model_macs - cost.attention_macs, 8 * n * D * D + D * D + D * 4);
}

ModelShape with_attention(AttentionKind kind) {
  ModelShape shape = bert_mini();
  shape.layers = 1;
  shape.positions = 96;
  shape.attention = kind;
  return shape;
}

TEST(Cost, AttentionParametersAreThoseOfThePaper) {
  // 2403.01643: 4, 3, 2 and 2 square matrices; we add the biases that BERT has and Super's matrix
  // over tokens, without one.
  const int64_t D = 256;
  const auto count = [](AttentionKind kind) {
    return attention_parameter_count(with_attention(kind), all_heads(1, 4));
  };
  EXPECT_EQ(count(AttentionKind::standard), 4 * D * D + 4 * D);
  EXPECT_EQ(count(AttentionKind::optimized), 3 * D * D + 3 * D);
  EXPECT_EQ(count(AttentionKind::efficient), 2 * D * D + 2 * D);
  EXPECT_EQ(count(AttentionKind::super), 2 * D * D + 2 * D + 96 * 96);
}

TEST(Cost, SuperCostsLessThanOptimizedBelowTheWidthAndLessThanStandardBelowTwice) {
  const auto macs = [](AttentionKind kind, int64_t tokens) {
    return cost_of(with_attention(kind), all_heads(1, 4), tokens).attention_macs;
  };
  EXPECT_EQ(macs(AttentionKind::super, 256), macs(AttentionKind::optimized, 256));
  EXPECT_EQ(macs(AttentionKind::super, 512), macs(AttentionKind::standard, 512));
  EXPECT_LT(macs(AttentionKind::super, 255), macs(AttentionKind::optimized, 255));
  EXPECT_LT(macs(AttentionKind::efficient, 512), macs(AttentionKind::super, 512));
}

TEST(Cost, HalfTheHeadsOfBertMiniIsCappedAsDerived) {
  // Caps derived for 32, 128 and 512 tokens: 1.21, 1.24 and 1.33.
  const Selection half = select_heads(random_order(4, 4, 1), 0.5);
  EXPECT_NEAR(speedup_cap(bert_mini(), half, 32), 1.21, 0.005);
  EXPECT_NEAR(speedup_cap(bert_mini(), half, 128), 1.24, 0.005);
  EXPECT_NEAR(speedup_cap(bert_mini(), half, 512), 1.33, 0.005);
}

TEST(Cost, NeverRisesWhenTheBudgetFalls) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const HeadOrder order = random_order(4, 4, seed);
    double before = 0;
    for (double b = 0.01; b <= 1.0; b += 0.01) {
      const double now = cost_of(bert_mini(), select_heads(order, b), 64).model_macs;
      EXPECT_GE(now, before);
      before = now;
    }
  }
}

TEST(Cost, MeanIsOverInputsNotOverTheirMeanLength) {
  const Selection all = all_heads(4, 4);
  const double mean = mean_cost(bert_mini(), all, {10, 30}).model_macs;
  EXPECT_DOUBLE_EQ(
      mean,
      (cost_of(bert_mini(), all, 10).model_macs + cost_of(bert_mini(), all, 30).model_macs) / 2);
}

TEST(Cost, ParametersOfBertMiniAreCountedExactly) {
  // 11,170,560 is the published size of the bare encoder with pooler; plus a 4-way classifier.
  EXPECT_EQ(parameter_count(bert_mini(), all_heads(4, 4)), 11170560 + 256 * 4 + 4);
}

TEST(Cost, ARemovedHeadTakesItsFourSlicesAlong) {
  const ModelShape shape = bert_mini();
  Selection fewer = all_heads(4, 4);
  fewer.kept[2].pop_back();
  EXPECT_EQ(parameter_count(shape, all_heads(4, 4)) - parameter_count(shape, fewer),
            4 * 256 * 64 + 3 * 64);
}

TEST(ControllerCost, IsAddedToAnAdaptiveModelAndNotToDense) {
  ModelShape shape;
  shape.controller = 64;
  constexpr double controller = 128 * 256 + 256 * 64 + 64 + 256 * 8;
  EXPECT_EQ(controller_macs(shape, 128), controller);
  const Cost all = cost_of_heads(shape, shape.total_heads(), 128);
  EXPECT_EQ(all.model_macs, dense_cost(shape, 128).model_macs + 4 * controller);
  EXPECT_EQ(all.model_macs, cost_of(shape, all_heads(4, 8), 128).model_macs);
}

TEST(PublishedAttentionMacs, FitTheSavingsReportedForImdb) {
  // 10.0 % at s = 0.601, 512 tokens and width 768: a quarter of the block follows s.
  ModelShape shape;
  shape.width = 768;
  const double saved =
      1 - published_attention_macs(shape, 0.601, 512) / published_attention_macs(shape, 1.0, 512);
  EXPECT_NEAR(saved, 0.25 * (1 - 0.601), 1e-12);
}

ModelShape one_layer() {
  return {.layers = 1, .width = 4, .heads = 2, .ffn = 6, .vocabulary = 10};
}

TEST(Cost, OfATranslationIsThatOfItsParts) {
  ModelShape shape = one_layer();  // 3 source and 2 target tokens
  shape.decoder_layers = 1;
  const double encoder = 4 * 3 * 16 + 2 * 9 * 4;
  const double self = 4 * 2 * 16 + 2 * 4 * 4;
  const double cross = 2 * 2 * 16 + 2 * 3 * 16 + 2 * 2 * 3 * 4;
  const double ffn = 2 * 3 * 4 * 6 + 2 * 2 * 4 * 6;
  const Cost standard = translation_cost(shape, 3, 2);
  EXPECT_EQ(standard.attention_macs, encoder + self + cross);
  EXPECT_EQ(standard.model_macs, encoder + self + cross + ffn + 2 * 4 * 10);
  shape.attention = AttentionKind::super;
  const double saved = 2 * (3 + 2 + 3) * 16;  // keys and values of all three
  const double mixing = (9 + 4 + 9) * 4;
  EXPECT_EQ(translation_cost(shape, 3, 2).attention_macs, encoder + self + cross - saved + mixing);
}

TEST(Cost, OfALayerWithAWindowCountsTheKeysInIt) {
  ModelShape shape = one_layer();
  shape.layers = 2;
  const Selection all = all_heads(2, 2);
  const double whole = cost_of(shape, all, 5).attention_macs;
  shape.rotary = {.theta = 100, .local_theta = 100, .window = 1, .global_every = 2};
  // The second layer's five tokens see 2, 3, 3, 3 and 2 of 25 pairs; 4 wide, scores and sums.
  EXPECT_EQ(cost_of(shape, all, 5).attention_macs, whole - (25 - 13) * 4 * 2);
  EXPECT_EQ(cost_of_heads(shape, 4, 5).attention_macs, cost_of(shape, all, 5).attention_macs);
  EXPECT_EQ(cost_of(shape, all, 2).attention_macs, cost_of_heads(shape, 4, 2).attention_macs);
  shape.rotary.window = 4;
  EXPECT_EQ(cost_of(shape, all, 5).attention_macs, whole) << "all of them are in it";
}

TEST(Cost, OfALanguageModelAndOfImagesCountsTheirOutputAndPatches) {
  ModelShape shape = one_layer();
  const Selection all = all_heads(1, 2);
  const double layer = cost_of(shape, all, 3).attention_macs + 2 * 3 * 4 * 6;
  shape.causal = true;
  EXPECT_EQ(cost_of(shape, all, 3).model_macs, layer + 3 * 4 * 10);
  shape.causal = false;
  shape.patch_values = 5;
  EXPECT_EQ(cost_of(shape, all, 3).model_macs, layer + 2 * 4 * 5 + 16 + 4 * 2);
}

}  // namespace
}  // namespace headroom
