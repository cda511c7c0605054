#include "model/layers.h"

#include <fmt/format.h>

#include "base/error.h"

namespace headroom {

torch::Tensor place_words(const ModelWeights& weights, const torch::Tensor& tokens, int64_t first) {
  const int64_t T = tokens.size(1);
  const int64_t padding = weights.padding_position;
  const int64_t longest =
      weights.positions.defined() ? weights.positions.size(0) - padding - 1 : weights.longest;
  if (first + T > longest) {
    throw Error(ErrorCode::bad_data, "embed tokens",
                fmt::format("an input of {} tokens is longer than the {} that this model reads",
                            first + T, longest));
  }
  const torch::Tensor words = torch::embedding(weights.words, tokens);
  if (!weights.positions.defined()) return words;
  if (padding < 0) return words + weights.positions.narrow(0, first, T);
  const torch::Tensor counted = (tokens != padding).to(torch::kInt64);
  const torch::Tensor rows = (counted.cumsum(1) + first) * counted + padding;
  return words + torch::embedding(weights.positions, rows);
}

torch::Tensor activate(const torch::Tensor& x, ActivationKind kind) {
  switch (kind) {
    case ActivationKind::gelu:
      return torch::gelu(x);
    case ActivationKind::gelu_tanh:
      return torch::gelu(x, "tanh");
    case ActivationKind::quick_gelu:
      return x * torch::sigmoid(sigmoid_gate(kind).slope * x);
    case ActivationKind::silu:
      return torch::silu(x);
    case ActivationKind::relu:
      return torch::relu(x);
    case ActivationKind::tanh:
      break;
  }
  return torch::tanh(x);
}

torch::Tensor ffn(const LayerWeights& layer, const torch::Tensor& x, const torch::Tensor& gate) {
  torch::Tensor hidden = activate(linear(x, layer.up), layer.activation);
  if (layer.gate.weight.defined()) hidden = hidden * linear(x, layer.gate);
  if (gate.defined()) hidden = hidden * gate.reshape({-1, 1, hidden.size(-1)});
  return linear(hidden, layer.down);
}

torch::Tensor language_logits(const ModelWeights& weights, const torch::Tensor& x) {
  return torch::linear(x, weights.words, weights.language_bias);
}

}  // namespace headroom
