#include "model/layers.h"

#include <fmt/format.h>

#include "base/error.h"

namespace headroom {

torch::Tensor place_words(const ModelWeights& weights, const torch::Tensor& tokens, int64_t first) {
  const int64_t T = tokens.size(1);
  const int64_t longest = weights.positions.size(0);
  if (first + T > longest) {
    throw Error(ErrorCode::bad_data, "embed tokens",
                fmt::format("an input of {} tokens is longer than the {} that this model reads",
                            first + T, longest));
  }
  return torch::embedding(weights.words, tokens) + weights.positions.narrow(0, first, T);
}

torch::Tensor ffn(const LayerWeights& layer, const torch::Tensor& x, const torch::Tensor& gate) {
  torch::Tensor hidden = torch::gelu(linear(x, layer.up));
  if (gate.defined()) hidden = hidden * gate.reshape({-1, 1, hidden.size(-1)});
  return linear(hidden, layer.down);
}

torch::Tensor language_logits(const ModelWeights& weights, const torch::Tensor& x) {
  return torch::linear(x, weights.words, weights.language_bias);
}

}  // namespace headroom
