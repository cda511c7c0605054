// What pretraining chooses from a shape and a text: rate, warm-up, fresh weights.
#include "train/pretraining/pretrain_recipe.h"

#include <gtest/gtest.h>

#include <cmath>

#include "train/pretraining/masked_lm.h"
#include "train/runtime.h"

namespace headroom {
namespace {

ModelShape shape_of(int64_t layers, int64_t width) {
  return {.layers = layers, .width = width, .heads = 4, .ffn = 2 * width};
}

TEST(PretrainingRate, FallsWithDepthAndWidth) {
  EXPECT_DOUBLE_EQ(pretraining_rate(shape_of(4, 256)), 1e-3);
  EXPECT_DOUBLE_EQ(pretraining_rate(shape_of(16, 256)), 0.5e-3);
  EXPECT_DOUBLE_EQ(pretraining_rate(shape_of(4, 1024)), 0.5e-3);
  EXPECT_NEAR(pretraining_rate(shape_of(12, 384)), 0.47e-3, 0.01e-3);
}

TEST(PretrainingRate, IsNoHigherForTinyShapes) {
  EXPECT_DOUBLE_EQ(pretraining_rate(shape_of(1, 16)), 1e-3);
}

TEST(PretrainingWarmup, CountsStepsWhateverTheLength) {
  EXPECT_EQ(pretraining_warmup(100'000), 1000);
  EXPECT_EQ(pretraining_warmup(2000), 1000);
  EXPECT_EQ(pretraining_warmup(0), 1000) << "a run measured in time";
}

TEST(PretrainingWarmup, TakesAtMostHalfOfAShortRun) {
  EXPECT_EQ(pretraining_warmup(12), 6);
  EXPECT_EQ(pretraining_warmup(1), 0);
}

// Ids 5 and 6 are ordinary; 7 never occurs.
constexpr int64_t vocabulary = 8;
const PackedRows rows{8, {2, 5, 5, 5, 6, 3, 1, 3}};

MaskSettings masks() {
  MaskSettings settings;
  settings.vocabulary = vocabulary;
  settings.never = {0, 1, 2, 3, 4};
  return settings;
}

TEST(LogFrequencies, AreSharesOfOrdinaryTokens) {
  const std::vector<float> logs = log_frequencies(rows, masks());
  ASSERT_EQ(logs.size(), 8U);
  EXPECT_NEAR(logs[5] - logs[6], std::log(3.0), 1e-6);
  EXPECT_FLOAT_EQ(logs[7], logs[6]) << "what does not occur counts as one";
  EXPECT_FLOAT_EQ(logs[3], logs[6]) << "and so does a special token, however frequent";
  double total = 0;
  for (const float value : logs) total += std::exp(value);
  EXPECT_NEAR(total, 1, 1e-6);
}

TEST(FrequencyLoss, IsTheCrossEntropyOfOrdinaryTokens) {
  std::vector<float> logs(8, -100.0F);
  logs[5] = -1;
  logs[6] = -5;
  EXPECT_DOUBLE_EQ(frequency_loss(logs, rows, masks()), (3 * 1 + 5) / 4.0);
}

class PretrainingWeights : public ::testing::Test {
 protected:
  PretrainingWeights() {
    use_threads(1);
    shape.vocabulary = vocabulary;
    shape.positions = 8;
    shape.labels = 0;
    logs = log_frequencies(rows, masks());
    weights = pretraining_weights(shape, 1, logs, torch::kCPU);
    fresh = fresh_weights(shape, 1, torch::kCPU, OutputHead::masked_lm);
  }
  ModelShape shape = shape_of(3, 16);
  std::vector<float> logs;
  ModelWeights weights;
  ModelWeights fresh;
};

TEST_F(PretrainingWeights, ScaleWhatALayerAddsToItsInput) {
  for (size_t i = 0; i < 3; ++i) {
    const LayerWeights& layer = weights.layers[i];
    const LayerWeights& plain = fresh.layers[i];
    EXPECT_TRUE(torch::allclose(layer.attention.output.weight * 6, plain.attention.output.weight));
    EXPECT_TRUE(torch::allclose(layer.down.weight * 6, plain.down.weight));
    EXPECT_TRUE(torch::equal(layer.up.weight, plain.up.weight));
    EXPECT_TRUE(torch::equal(layer.attention.query.weight, plain.attention.query.weight));
  }
  EXPECT_TRUE(torch::equal(weights.words, fresh.words));
}

TEST_F(PretrainingWeights, PredictFrequenciesBeforeAnyStep) {
  Batch batch;
  batch.tokens = torch::tensor(rows.tokens, torch::kInt64).view({1, 8});
  ElasticModel model;
  model.shape = shape;
  model.weights = weights;
  model.weights.words = model.weights.words * 0;  // only the bias speaks
  const auto stage = masked_lm_stage({masks()}, {batch});
  const double loss = stage->validate(model).details[0].second;
  EXPECT_TRUE(std::abs(loss + logs[5]) < 1e-4 || std::abs(loss + logs[6]) < 1e-4) << loss;
}

TEST(GeneratorShape, HasAQuarterOfTheHeadsAndNeurons) {
  ModelShape encoder = shape_of(4, 256);
  encoder.heads = 8;
  encoder.vocabulary = vocabulary;
  encoder.attention = AttentionKind::efficient;
  const ModelShape generator = generator_shape(encoder, 0.25);
  EXPECT_EQ(generator.layers, 4);
  EXPECT_EQ(generator.heads, 2);
  EXPECT_EQ(generator.width, 64) << "heads as wide as the encoder's";
  EXPECT_EQ(generator.ffn, 128);
  EXPECT_EQ(generator.embedding, 256) << "behind the encoder's tables";
  EXPECT_EQ(generator.vocabulary, vocabulary);
  EXPECT_EQ(generator.attention, AttentionKind::efficient);
}

TEST(GeneratorShape, HasAtLeastOneHead) {
  EXPECT_EQ(generator_shape(shape_of(2, 16), 0.01).heads, 1);
  EXPECT_EQ(generator_shape(shape_of(2, 16), 0.01).width, 4);
}

TEST_F(PretrainingWeights, OfAGeneratorPredictFrequenciesAndLeaveTheTablesOut) {
  const TokenDetection detection = pretraining_detection(shape, 0.5, 0.2, 1, logs, torch::kCPU);
  EXPECT_TRUE(torch::equal(detection.generator.masked_head->bias, weights.masked_head->bias));
  EXPECT_FALSE(detection.generator.words.defined());
  EXPECT_FALSE(detection.generator.embedding_norm.weight.defined());
  EXPECT_TRUE(detection.generator.embedding_projection.weight.defined());
}

TEST_F(PretrainingWeights, OfADetectorExpectTheShareThatIsReplaced) {
  const TokenDetection detection = pretraining_detection(shape, 0.5, 0.2, 1, logs, torch::kCPU);
  const torch::Tensor logits = binary_logits(detection.head, torch::zeros({3, shape.width}));
  EXPECT_TRUE(torch::allclose(torch::sigmoid(logits), torch::full({3}, 0.2F)));
}

}  // namespace
}  // namespace headroom
