#include "model/weights.h"

#include <cmath>

#include "base/random.h"

namespace headroom {
namespace {

constexpr double table_scale = 0.02;
constexpr double position_scale = 0.04;

void visit_linear(const std::string& name, Linear& linear, const auto& visit) {
  visit(name + ".weight", linear.weight);
  visit(name + ".bias", linear.bias);
}

void visit_norm(const std::string& name, Norm& norm, const auto& visit) {
  visit(name + ".weight", norm.weight);
  visit(name + ".bias", norm.bias);
}

void visit_attention(const std::string& block, AttentionWeights& attention, Norm& norm,
                     const auto& visit) {
  visit_linear(block + ".self.query", attention.query, visit);
  if (has_key_projection(attention.kind)) visit_linear(block + ".self.key", attention.key, visit);
  if (has_value_projection(attention.kind)) {
    visit_linear(block + ".self.value", attention.value, visit);
  }
  if (has_mixing(attention.kind) || attention.mixing.defined()) {
    visit(block + ".self.mixing.weight", attention.mixing);
  }
  visit_linear(block + ".output.dense", attention.output, visit);
  visit_norm(block + ".output.LayerNorm", norm, visit);
}

// `between` visits what a decoder has between attention and FFN.
void visit_layer(const std::string& prefix, LayerWeights& layer, const auto& visit,
                 const auto& between) {
  visit_attention(prefix + "attention", layer.attention, layer.attention_norm, visit);
  between();
  visit_linear(prefix + "intermediate.dense", layer.up, visit);
  visit_linear(prefix + "output.dense", layer.down, visit);
  visit_norm(prefix + "output.LayerNorm", layer.ffn_norm, visit);
}

torch::Tensor sinusoids(int64_t positions, int64_t width) {
  torch::Tensor table = torch::zeros({positions, width});
  auto values = table.accessor<float, 2>();
  for (int64_t position = 0; position < positions; ++position) {
    for (int64_t i = 0; i < width; ++i) {
      const double exponent = static_cast<double>(i / 2 * 2) / static_cast<double>(width);
      const double angle =
          static_cast<double>(position) / std::pow(static_cast<double>(positions), exponent);
      // A wave of height sqrt(2) has size 1.
      const double wave = std::sqrt(2.0) * (i % 2 == 0 ? std::sin(angle) : std::cos(angle));
      values[position][i] = static_cast<float>(wave * position_scale);
    }
  }
  return table;
}

bool ends_with(const std::string& text, std::string_view ending) {
  return text.size() >= ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

// Training starts at Efficient Attention, of which this is an addition (2403.01643 is silent).
torch::Tensor near_identity(int64_t size, Random& random) {
  torch::Tensor tensor = torch::eye(size);
  float* values = tensor.data_ptr<float>();
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    values[i] += static_cast<float>(random.normal() * table_scale);
  }
  return tensor;
}

torch::Tensor fresh_tensor(const TensorName& entry, Random& random) {
  if (ends_with(entry.name, ".bias")) return torch::zeros(entry.shape);
  if (ends_with(entry.name, "mixing.weight")) return near_identity(entry.shape[0], random);
  if (ends_with(entry.name, "LayerNorm.weight")) return torch::ones(entry.shape);
  if (ends_with(entry.name, "position_embeddings.weight")) {
    return sinusoids(entry.shape[0], entry.shape[1]);
  }
  // Patches as small as words: larger ones would drown their positions. Controllers start
  // undecided: every input asks for the same share of heads, and no head is more relevant than the
  // others.
  const bool table = ends_with(entry.name, "_embeddings.weight") ||
                     ends_with(entry.name, "patches.weight") ||
                     ends_with(entry.name, "controller.budget.weight") ||
                     ends_with(entry.name, "controller.relevance.weight");
  const double scale =
      table ? table_scale : std::sqrt(2.0 / static_cast<double>(entry.shape[0] + entry.shape[1]));
  torch::Tensor tensor = torch::empty(entry.shape);
  float* values = tensor.data_ptr<float>();
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    values[i] = static_cast<float>(random.normal() * scale);
  }
  return tensor;
}

}  // namespace

void for_each_tensor(ModelWeights& weights,
                     const std::function<void(const std::string&, torch::Tensor&)>& visit) {
  if (weights.patched) {
    visit_linear("bert.embeddings.patches", weights.patches, visit);
    visit("bert.embeddings.class_embeddings.weight", weights.class_token);
  } else {
    visit("bert.embeddings.word_embeddings.weight", weights.words);
  }
  visit("bert.embeddings.position_embeddings.weight", weights.positions);
  if (weights.typed) visit("bert.embeddings.token_type_embeddings.weight", weights.types);
  visit_norm("bert.embeddings.LayerNorm", weights.embedding_norm, visit);
  for (size_t i = 0; i < weights.layers.size(); ++i) {
    visit_layer("bert.encoder.layer." + std::to_string(i) + ".", weights.layers[i], visit, [] {});
  }
  for (size_t i = 0; i < weights.decoder.size(); ++i) {
    const std::string prefix = "bert.decoder.layer." + std::to_string(i) + ".";
    DecoderLayerWeights& layer = weights.decoder[i];
    visit_layer(prefix, layer.block, visit, [&] {
      visit_attention(prefix + "crossattention", layer.cross, layer.cross_norm, visit);
    });
  }
  if (weights.masked_head) {
    visit_linear("cls.predictions.transform.dense", weights.masked_head->transform, visit);
    visit_norm("cls.predictions.transform.LayerNorm", weights.masked_head->norm, visit);
    visit("cls.predictions.bias", weights.masked_head->bias);
  }
  if (weights.head == OutputHead::language) visit("lm_head.bias", weights.language_bias);
  const bool classifies = weights.head == OutputHead::classifier;
  if (classifies || weights.head == OutputHead::pooler) {
    visit_linear("bert.pooler.dense", weights.pooler, visit);
  }
  if (classifies) visit_linear("classifier", weights.classifier, visit);
  for (size_t i = 0; i < weights.layers.size(); ++i) {
    if (!weights.layers[i].controller) continue;
    const std::string prefix = "bert.encoder.layer." + std::to_string(i) + ".attention.controller.";
    ControllerWeights& controller = *weights.layers[i].controller;
    visit_linear(prefix + "hidden", controller.hidden, visit);
    visit_linear(prefix + "budget", controller.budget, visit);
    visit_linear(prefix + "relevance", controller.relevance, visit);
  }
}

void for_each_attention(ModelWeights& weights,
                        const std::function<void(AttentionWeights&)>& visit) {
  for (LayerWeights& layer : weights.layers) visit(layer.attention);
  for (DecoderLayerWeights& layer : weights.decoder) {
    visit(layer.block.attention);
    visit(layer.cross);
  }
}

ModelWeights hollow_weights(const ModelShape& shape, OutputHead head) {
  ModelWeights weights;
  const auto set = [&](AttentionWeights& attention, bool causal) {
    attention.kind = shape.attention;
    attention.heads = shape.heads;
    attention.causal = causal;
  };
  weights.layers.resize(static_cast<size_t>(shape.layers));
  for (LayerWeights& layer : weights.layers) {
    set(layer.attention, shape.causal);
    if (shape.controller > 0) layer.controller.emplace();
  }
  weights.decoder.resize(static_cast<size_t>(shape.decoder_layers));
  for (DecoderLayerWeights& layer : weights.decoder) {
    set(layer.block.attention, /*causal=*/true);
    set(layer.cross, /*causal=*/false);
  }
  weights.patched = shape.patch_values > 0;
  weights.typed = shape.token_types > 0;
  weights.head = head;
  if (head == OutputHead::masked_lm) weights.masked_head.emplace();
  return weights;
}

ModelWeights fresh_weights(const ModelShape& shape, uint64_t seed, torch::Device device,
                           OutputHead head) {
  const std::vector<TensorName> names = tensor_names(shape, head);
  Random random{seed, 0x77656967687473};
  ModelWeights weights = hollow_weights(shape, head);
  size_t next = 0;
  for_each_tensor(weights, [&](const std::string& name, torch::Tensor& tensor) {
    TORCH_CHECK(names[next].name == name, "tensor_names() and for_each_tensor() disagree");
    tensor = fresh_tensor(names[next++], random).to(device);
  });
  for_each_attention(weights, [](AttentionWeights& attention) {
    if (attention.causal && attention.mixing.defined()) attention.mixing.tril_();
  });
  return weights;
}

ModelWeights copy_weights(const ModelWeights& weights) {
  ModelWeights copy = weights;
  for_each_tensor(
      copy, [](const std::string&, torch::Tensor& tensor) { tensor = tensor.detach().clone(); });
  return copy;
}

ModelWeights to_device(const ModelWeights& weights, torch::Device device) {
  ModelWeights moved = weights;
  for_each_tensor(moved, [&](const std::string&, torch::Tensor& tensor) {
    tensor = tensor.detach().to(device);
  });
  for_each_attention(moved, [&](AttentionWeights& attention) {
    if (attention.columns.defined()) attention.columns = attention.columns.to(device);
  });
  return moved;
}

}  // namespace headroom
