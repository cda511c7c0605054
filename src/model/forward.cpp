#include "model/forward.h"

#include <cmath>

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

}  // namespace

torch::Tensor attention(const AttentionWeights& weights, const torch::Tensor& x,
                        const torch::Tensor& key_bias, const torch::Tensor& gate, double dropout) {
  const int64_t B = x.size(0);
  const int64_t T = x.size(1);
  const int64_t H = weights.heads;
  const int64_t W = weights.head_width();
  const auto by_head = [&](const torch::Tensor& y) { return y.view({B, T, H, W}).transpose(1, 2); };
  const torch::Tensor q =
      by_head(linear(x, weights.query)) * (1.0 / std::sqrt(static_cast<double>(W)));
  const torch::Tensor k = by_head(linear(x, weights.key));
  const torch::Tensor v = by_head(linear(x, weights.value));
  torch::Tensor scores = torch::matmul(q, k.transpose(-1, -2));  // (B, H, T, T)
  if (key_bias.defined()) scores = scores + key_bias;
  const torch::Tensor probabilities = drop(torch::softmax(scores, -1), dropout);
  torch::Tensor context = torch::matmul(probabilities, v);  // (B, H, T, W)
  if (gate.defined()) context = context * gate.view({1, H, 1, 1});
  return linear(context.transpose(1, 2).reshape({B, T, H * W}), weights.output);
}

torch::Tensor forward(const ModelWeights& weights, const Batch& batch,
                      const ForwardOptions& options) {
  torch::Tensor x = embed(weights, batch, options);
  for (size_t i = 0; i < weights.layers.size(); ++i) {
    const LayerWeights& layer = weights.layers[i];
    const torch::Tensor gate =
        options.gates.defined() ? options.gates[static_cast<int64_t>(i)] : torch::Tensor();
    const torch::Tensor mixed =
        attention(layer.attention, x, batch.key_bias, gate, options.dropout);
    x = normalise(x + drop(mixed, options.dropout), layer.attention_norm, options.layer_norm_eps);
    const torch::Tensor ffn = linear(torch::gelu(linear(x, layer.up)), layer.down);
    x = normalise(x + drop(ffn, options.dropout), layer.ffn_norm, options.layer_norm_eps);
  }
  const torch::Tensor pooled = torch::tanh(linear(x.select(1, 0), weights.pooler));
  return linear(drop(pooled, options.dropout), weights.classifier);
}

}  // namespace headroom
