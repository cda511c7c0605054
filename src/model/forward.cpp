#include "model/forward.h"

#include <cmath>

#include "model/head_dispatch.h"

namespace headroom {
namespace {

torch::Tensor linear(const torch::Tensor& x, const Linear& weights) {
  return torch::linear(x, weights.weight, weights.bias);
}

torch::Tensor drop(const torch::Tensor& x, double probability) {
  return probability > 0 ? torch::dropout(x, probability, /*train=*/true) : x;
}

torch::Tensor normalise(const torch::Tensor& x, const Norm& norm, double eps) {
  return torch::layer_norm(x, {x.size(-1)}, norm.weight, norm.bias, eps);
}

torch::Tensor embed(const ModelWeights& weights, const Batch& batch,
                    const ForwardOptions& options) {
  const int64_t T = batch.length();
  TORCH_CHECK(T <= weights.positions.size(0), "a batch is longer than the position table");
  torch::Tensor x = torch::embedding(weights.words, batch.tokens);
  x = x + weights.positions.narrow(0, 0, T);
  x = x + (batch.types.defined() ? torch::embedding(weights.types, batch.types)
                                 : weights.types.narrow(0, 0, 1));
  return drop(normalise(x, weights.embedding_norm, options.layer_norm_eps), options.dropout);
}

torch::Tensor context_of(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                         const torch::Tensor& key_bias, double dropout) {
#if TORCH_VERSION_MAJOR >= 2
  // One fused kernel instead of five: on a GPU small models wait for launches, not for arithmetic.
  if (q.is_cuda()) {
    if (!key_bias.defined()) return at::scaled_dot_product_attention(q, k, v, {}, dropout);
    return at::scaled_dot_product_attention(q, k, v, key_bias.to(q.scalar_type()), dropout);
  }
#endif
  const double scale = 1.0 / std::sqrt(static_cast<double>(q.size(-1)));
  torch::Tensor scores = torch::matmul(q * scale, k.transpose(-1, -2));  // (B, H, T, T)
  if (key_bias.defined()) scores = scores + key_bias;
  return torch::matmul(drop(torch::softmax(scores, -1), dropout), v);
}

// The leading block of the mixing matrix over tokens (2403.01643, Definition 3.5). Padding is set
// to zero first: the matrix would carry it into real tokens, where no mask removes it any more.
torch::Tensor mix(const torch::Tensor& values, const torch::Tensor& mixing,
                  const torch::Tensor& key_bias) {
  const int64_t T = values.size(1);
  const torch::Tensor block = mixing.narrow(0, 0, T).narrow(1, 0, T);
  if (!key_bias.defined()) return torch::matmul(block, values);
  const torch::Tensor real = (key_bias == 0).reshape({-1, T, 1});
  return torch::matmul(block, values * real.to(values.scalar_type()));
}

torch::Tensor ffn(const LayerWeights& layer, const torch::Tensor& x, const torch::Tensor& gate) {
  torch::Tensor hidden = torch::gelu(linear(x, layer.up));
  if (gate.defined()) hidden = hidden * gate.reshape({-1, 1, hidden.size(-1)});
  return linear(hidden, layer.down);
}

// One layer's row of the (L, ...) factors, or nothing.
torch::Tensor layer_of(const torch::Tensor& factors, size_t layer) {
  return factors.defined() ? factors[static_cast<int64_t>(layer)] : torch::Tensor();
}

}  // namespace

torch::Tensor attention(const AttentionWeights& weights, const torch::Tensor& x,
                        const torch::Tensor& key_bias, const torch::Tensor& gate, double dropout) {
  const int64_t B = x.size(0);
  const int64_t T = x.size(1);
  const int64_t H = weights.heads;
  const int64_t W = weights.head_width();
  const auto by_head = [&](const torch::Tensor& y) {
    return y.reshape({B, T, H, W}).transpose(1, 2);
  };
  const torch::Tensor input = weights.columns.defined() ? x.index_select(2, weights.columns) : x;
  const torch::Tensor keys = has_key_projection(weights.kind) ? linear(x, weights.key) : input;
  const torch::Tensor values = has_value_projection(weights.kind) ? linear(x, weights.value)
                               : has_mixing(weights.kind) ? mix(input, weights.mixing, key_bias)
                                                          : input;
  torch::Tensor context = context_of(by_head(linear(x, weights.query)), by_head(keys),
                                     by_head(values), key_bias, dropout);  // (B, H, T, W)
  if (gate.defined()) context = context * gate.reshape({-1, H, 1, 1});
  return linear(context.transpose(1, 2).reshape({B, T, H * W}), weights.output);
}

torch::Tensor encode(const ModelWeights& weights, const Batch& batch,
                     const ForwardOptions& options) {
  torch::Tensor x = embed(weights, batch, options);
  const double eps = options.layer_norm_eps;
  for (size_t i = 0; i < weights.layers.size(); ++i) {
    const LayerWeights& layer = weights.layers[i];
    if (layer.attention.heads > 0) {
      const torch::Tensor factors =
          options.choose ? options.choose(i, x, batch.key_bias) : layer_of(options.gates, i);
      const torch::Tensor mixed =
          options.skip ? attention_of_chosen(layer.attention, x, batch.key_bias, factors)
                       : attention(layer.attention, x, batch.key_bias, factors, options.dropout);
      x = normalise(x + drop(mixed, options.dropout), layer.attention_norm, eps);
    }
    if (layer.up.weight.size(0) > 0) {
      const torch::Tensor wide = ffn(layer, x, layer_of(options.ffn_gates, i));
      x = normalise(x + drop(wide, options.dropout), layer.ffn_norm, eps);
    }
  }
  return x;
}

torch::Tensor forward(const ModelWeights& weights, const Batch& batch,
                      const ForwardOptions& options) {
  const torch::Tensor x = encode(weights, batch, options);
  const torch::Tensor pooled = torch::tanh(linear(x.select(1, 0), weights.pooler));
  return linear(drop(pooled, options.dropout), weights.classifier);
}

torch::Tensor masked_logits(const ModelWeights& weights, const torch::Tensor& rows,
                            double layer_norm_eps) {
  const MaskedHead& head = *weights.masked_head;
  const torch::Tensor hidden =
      normalise(torch::gelu(linear(rows, head.transform)), head.norm, layer_norm_eps);
  return torch::linear(hidden, weights.words, head.bias);
}

}  // namespace headroom
