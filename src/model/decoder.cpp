#include "model/decoder.h"

#include <algorithm>

#include "model/layers.h"

namespace headroom {

torch::Tensor decode(const ModelWeights& weights, const torch::Tensor& memory,
                     const torch::Tensor& key_bias, const torch::Tensor& target,
                     const ForwardOptions& options) {
  const double eps = options.layer_norm_eps;
  torch::Tensor x = place_words(weights, target, 0) + weights.types.narrow(0, 1, 1);
  x = drop(normalise(x, weights.embedding_norm, eps), options.dropout);
  const auto add = [&](const torch::Tensor& more, const Norm& norm) {
    x = normalise(x + drop(more, options.dropout), norm, eps);
  };
  for (const DecoderLayerWeights& layer : weights.decoder) {
    const LayerWeights& block = layer.block;
    add(attention(block.attention, x, {}, {}, options.dropout), block.attention_norm);
    add(cross_attention(layer.cross, x, memory, key_bias, {}, options.dropout), layer.cross_norm);
    add(ffn(block, x, {}), block.ffn_norm);
  }
  return x;
}

GenerationCache empty_cache(const ModelWeights& weights) {
  return GenerationCache(weights.layers.size());
}

torch::Tensor next_logits(const ModelWeights& weights, const torch::Tensor& tokens,
                          GenerationCache& cache, double layer_norm_eps) {
  int64_t before = 0;
  for (const AttentionCache& layer : cache) before = std::max(before, layer.length());
  torch::Tensor x =
      normalise(place_words(weights, tokens, before), weights.embedding_norm, layer_norm_eps);
  for (size_t i = 0; i < weights.layers.size(); ++i) {
    const LayerWeights& layer = weights.layers[i];
    if (layer.attention.heads > 0) {
      x = normalise(x + attend_next(layer.attention, x, cache[i]), layer.attention_norm,
                    layer_norm_eps);
    }
    if (layer.up.weight.size(0) > 0) {
      x = normalise(x + ffn(layer, x, {}), layer.ffn_norm, layer_norm_eps);
    }
  }
  return language_logits(weights, x.select(1, -1));
}

}  // namespace headroom
