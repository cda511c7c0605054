#include "train/pretrain_recipe.h"

#include <algorithm>
#include <cmath>

namespace headroom {

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

}  // namespace headroom
