#include "train/pretraining/pretrain_recipe.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace headroom {
namespace {

constexpr uint64_t generator_key = 0x67656e6572;
constexpr uint64_t detection_key = 0x646574656374;

}  // namespace

double pretraining_rate(const ModelShape& shape) {
  const double size = static_cast<double>(shape.layers * shape.width) / (4 * 256);
  return 1e-3 * std::min(1.0, 1 / std::sqrt(size));
}

int64_t pretraining_warmup(int64_t steps) {
  constexpr int64_t longest = 1000;
  return steps > 0 ? std::min(longest, steps / 2) : longest;
}

std::vector<float> log_frequencies(const PackedRows& rows, const MaskSettings& masks) {
  std::vector<double> counts(static_cast<size_t>(masks.vocabulary));
  for (const int32_t token : rows.tokens) ++counts[static_cast<size_t>(token)];
  for (const int32_t token : masks.never) counts[static_cast<size_t>(token)] = 0;
  double total = 0;
  for (double& count : counts) total += count = std::max(count, 1.0);
  std::vector<float> logs;
  for (const double count : counts) logs.push_back(static_cast<float>(std::log(count / total)));
  return logs;
}

double frequency_loss(const std::vector<float>& log_frequencies, const PackedRows& rows,
                      const MaskSettings& masks) {
  double loss = 0;
  int64_t ordinary = 0;
  for (const int32_t token : rows.tokens) {
    if (std::count(masks.never.begin(), masks.never.end(), token) > 0) continue;
    loss -= log_frequencies[static_cast<size_t>(token)];
    ++ordinary;
  }
  return loss / static_cast<double>(std::max<int64_t>(ordinary, 1));
}

ModelWeights pretraining_weights(const ModelShape& shape, uint64_t seed,
                                 const std::vector<float>& log_frequencies, torch::Device device) {
  ModelWeights weights = fresh_weights(shape, seed, device, OutputHead::masked_lm);
  const double scale = 1.0 / static_cast<double>(2 * shape.layers);
  for (LayerWeights& layer : weights.layers) {
    layer.attention.output.weight.mul_(scale);
    layer.down.weight.mul_(scale);
  }
  // Around zero where the frequent tokens are, because bf16 is finest there.
  const torch::Tensor logs = torch::tensor(log_frequencies);
  weights.masked_head->bias = (logs - (logs.exp() * logs).sum()).to(device);
  return weights;
}

ModelShape generator_shape(const ModelShape& encoder, double share) {
  const auto part_of = [&](int64_t all) {
    return std::max<int64_t>(1, std::llround(share * static_cast<double>(all)));
  };
  ModelShape shape;
  shape.family = "electra";  // has names for tables that are not as wide as the model
  shape.layers = encoder.layers;
  shape.heads = part_of(encoder.heads);
  shape.width = shape.heads * encoder.head_width();
  shape.ffn = part_of(encoder.ffn);
  shape.attention = encoder.attention;
  shape.activation = encoder.activation;
  shape.vocabulary = encoder.vocabulary;
  shape.positions = encoder.positions;
  shape.padding_position = encoder.padding_position;
  shape.token_types = encoder.token_types;
  shape.embedding = encoder.embedding_width();
  shape.labels = 0;
  return shape;
}

TokenDetection pretraining_detection(const ModelShape& encoder, double generator_share,
                                     double replaced, uint64_t seed,
                                     const std::vector<float>& log_frequencies,
                                     torch::Device device) {
  TokenDetection detection;
  detection.generator =
      without_tables(pretraining_weights(generator_shape(encoder, generator_share),
                                         mix_key({seed, generator_key}), log_frequencies, device));
  Random random{seed, detection_key};
  detection.head = fresh_binary_head(encoder.width, replaced, random, device);
  return detection;
}

}  // namespace headroom
