#include "checkpoint/tensor_names.h"

#include <fmt/format.h>

namespace headroom {

std::vector<TensorName> tensor_names(const ModelShape& shape, OutputHead head) {
  return tensor_names(shape, head, all_heads(shape.layers, shape.heads));
}

std::vector<TensorName> tensor_names(const ModelShape& shape, OutputHead head,
                                     const Selection& stored) {
  const int64_t D = shape.width;
  std::vector<TensorName> names;
  const auto add = [&](std::string name, std::vector<int64_t> dims) {
    names.push_back({std::move(name), std::move(dims)});
  };
  const auto add_linear = [&](const std::string& name, int64_t in, int64_t out) {
    add(name + ".weight", {out, in});
    add(name + ".bias", {out});
  };
  const auto add_norm = [&](const std::string& name) {
    add(name + ".weight", {D});
    add(name + ".bias", {D});
  };
  const auto add_attention = [&](const std::string& block, int64_t E) {
    add_linear(block + ".self.query", D, E);
    if (has_key_projection(shape.attention)) add_linear(block + ".self.key", D, E);
    if (has_value_projection(shape.attention)) add_linear(block + ".self.value", D, E);
    if (has_mixing(shape.attention)) {
      add(block + ".self.mixing.weight", {shape.positions, shape.positions});
    }
    add_linear(block + ".output.dense", E, D);
    add_norm(block + ".output.LayerNorm");
  };
  const auto add_ffn = [&](const std::string& prefix, int64_t F) {
    add_linear(prefix + "intermediate.dense", D, F);
    add_linear(prefix + "output.dense", F, D);
    add_norm(prefix + "output.LayerNorm");
  };
  const std::string embeddings = "bert.embeddings.";
  if (shape.patch_values > 0) {
    add_linear(embeddings + "patches", shape.patch_values, D);
    add(embeddings + "class_embeddings.weight", {1, D});
  } else {
    add(embeddings + "word_embeddings.weight", {shape.vocabulary, D});
  }
  add(embeddings + "position_embeddings.weight", {shape.positions, D});
  if (shape.token_types > 0) {
    add(embeddings + "token_type_embeddings.weight", {shape.token_types, D});
  }
  add_norm(embeddings + "LayerNorm");
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    const std::string prefix = fmt::format("bert.encoder.layer.{}.", layer);
    add_attention(prefix + "attention", stored.heads_of(layer) * shape.head_width());
    add_ffn(prefix, stored.ffn_of(layer, shape.ffn));
  }
  for (int64_t layer = 0; layer < shape.decoder_layers; ++layer) {
    const std::string prefix = fmt::format("bert.decoder.layer.{}.", layer);
    add_attention(prefix + "attention", D);
    add_attention(prefix + "crossattention", D);
    add_ffn(prefix, shape.ffn);
  }
  if (head == OutputHead::masked_lm) {
    add_linear("cls.predictions.transform.dense", D, D);
    add_norm("cls.predictions.transform.LayerNorm");
    add("cls.predictions.bias", {shape.vocabulary});
  }
  if (head == OutputHead::language) add("lm_head.bias", {shape.vocabulary});
  if (head == OutputHead::classifier || head == OutputHead::pooler) {
    add_linear("bert.pooler.dense", D, D);
  }
  if (head == OutputHead::classifier) add_linear("classifier", D, shape.labels);
  // Last, so that a model's other tensors are drawn alike with and without controllers.
  for (int64_t layer = 0; layer < shape.layers && shape.controller > 0; ++layer) {
    const std::string prefix = fmt::format("bert.encoder.layer.{}.attention.controller.", layer);
    add_linear(prefix + "hidden", D, shape.controller);
    add_linear(prefix + "budget", shape.controller, 1);
    add_linear(prefix + "relevance", D, shape.heads);
  }
  return names;
}

}  // namespace headroom
