#include "model/weights.h"

#include <cmath>

#include "base/random.h"
#include "families/families.h"

namespace headroom {
namespace {

constexpr double table_scale = 0.02;
constexpr double position_scale = 0.04;

// A module's tensors; null where it has none.
struct Slot {
  torch::Tensor* weight = nullptr;
  torch::Tensor* bias = nullptr;
};

Slot slot_of(Linear& linear) {
  return {&linear.weight, &linear.bias};
}

Slot slot_of(Norm& norm) {
  return {&norm.weight, &norm.bias};
}

AttentionWeights& attention_of(ModelWeights& weights, const Module& module) {
  const auto i = static_cast<size_t>(module.layer);
  if (module.stack == Stack::encoder) return weights.layers[i].attention;
  DecoderLayerWeights& layer = weights.decoder[i];
  return module.stack == Stack::cross ? layer.cross : layer.block.attention;
}

Slot layer_slot(ModelWeights& weights, const Module& module) {
  const auto i = static_cast<size_t>(module.layer);
  const bool encoder = module.stack == Stack::encoder;
  LayerWeights& layer = encoder ? weights.layers[i] : weights.decoder[i].block;
  AttentionWeights& attention = attention_of(weights, module);
  switch (module.role) {
    case Role::query:
      return slot_of(attention.query);
    case Role::key:
      return slot_of(attention.key);
    case Role::value:
      return slot_of(attention.value);
    case Role::relative_key:
      return slot_of(attention.relative_key);
    case Role::relative_query:
      return slot_of(attention.relative_query);
    case Role::mixing:
      return {&attention.mixing, nullptr};
    case Role::attention_output:
      return slot_of(attention.output);
    case Role::attention_norm:
      return slot_of(module.stack == Stack::cross ? weights.decoder[i].cross_norm
                                                  : layer.attention_norm);
    case Role::up:
      return slot_of(layer.up);
    case Role::gate:
      return slot_of(layer.gate);
    case Role::down:
      return slot_of(layer.down);
    case Role::ffn_norm:
      return slot_of(layer.ffn_norm);
    case Role::controller_hidden:
      return slot_of(layer.controller->hidden);
    case Role::controller_budget:
      return slot_of(layer.controller->budget);
    default:
      return slot_of(layer.controller->relevance);
  }
}

Slot slot_of(ModelWeights& weights, const Module& module) {
  if (module.stack != Stack::none) return layer_slot(weights, module);
  switch (module.role) {
    case Role::words:
      return {&weights.words, nullptr};
    case Role::patches:
      return slot_of(weights.patches);
    case Role::class_token:
      return {&weights.class_token, nullptr};
    case Role::positions:
      return {&weights.positions, nullptr};
    case Role::types:
      return {&weights.types, nullptr};
    case Role::embedding_norm:
      return slot_of(weights.embedding_norm);
    case Role::relative:
      return {&weights.relative, nullptr};
    case Role::relative_norm:
      return slot_of(weights.relative_norm);
    case Role::embedding_projection:
      return slot_of(weights.embedding_projection);
    case Role::relative_bias:
      return {&weights.relative_bias, nullptr};
    case Role::masked_transform:
      return slot_of(weights.masked_head->transform);
    case Role::masked_norm:
      return slot_of(weights.masked_head->norm);
    case Role::masked_bias:
      return {nullptr, &weights.masked_head->bias};
    case Role::language_bias:
      return {nullptr, &weights.language_bias};
    case Role::pooler:
      return slot_of(weights.pooler);
    case Role::pooler_norm:
      return slot_of(weights.pooler_norm);
    case Role::final_norm:
      return slot_of(weights.final_norm);
    case Role::dense:
      return slot_of(weights.dense);
    default:
      return slot_of(weights.classifier);  // a tagger's, too
  }
}

// All that a model may have; an experiment gives mixing to kinds of attention that have none.
NetworkParts parts_of(const ModelWeights& weights) {
  NetworkParts parts;
  parts.form = weights.form;
  parts.disentangled = weights.disentangled;
  parts.positions = weights.position_table;
  parts.layers = static_cast<int64_t>(weights.layers.size());
  parts.decoder_layers = static_cast<int64_t>(weights.decoder.size());
  parts.patches = weights.patched;
  parts.types = weights.typed;
  parts.narrow_embeddings = weights.narrow;
  if (!weights.layers.empty()) {
    parts.attention = weights.layers[0].attention.kind;
    parts.relative_bias = weights.layers[0].attention.relative;
    parts.controllers = weights.layers[0].controller.has_value();
  }
  parts.mixing = true;
  parts.head = weights.head;
  parts.dense = weights.densed;
  return parts;
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

// Training starts at Efficient Attention, of which this is an addition (2403.01643 is silent).
torch::Tensor near_identity(int64_t size, Random& random) {
  torch::Tensor tensor = torch::eye(size);
  float* values = tensor.data_ptr<float>();
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    values[i] += static_cast<float>(random.normal() * table_scale);
  }
  return tensor;
}

torch::Tensor fresh_tensor(const TensorSpec& entry, Random& random) {
  const Role role = entry.module.role;
  if (entry.bias) return torch::zeros(entry.shape);
  if (role == Role::mixing) return near_identity(entry.shape[0], random);
  if (is_norm(role)) return torch::ones(entry.shape);
  if (role == Role::positions) return sinusoids(entry.shape[0], entry.shape[1]);
  // Patches as small as words: larger ones would drown their positions. Controllers start
  // undecided: every input asks for the same share of heads, and no head is more relevant than the
  // others.
  const bool table = role == Role::words || role == Role::types || role == Role::class_token ||
                     role == Role::relative || role == Role::relative_bias ||
                     role == Role::patches || role == Role::controller_budget ||
                     role == Role::controller_relevance;
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
  const ModelSchema& schema = *find_schema(weights.family);
  for (const Module& module : modules_of(parts_of(weights))) {
    const Slot slot = slot_of(weights, module);
    if (module.role == Role::mixing && !slot.weight->defined() &&
        !has_mixing(attention_of(weights, module).kind)) {
      continue;
    }
    const std::string name = schema.name_of(module);
    if (slot.weight != nullptr) visit(name + ".weight", *slot.weight);
    if (slot.bias != nullptr && has_bias(module.role, weights.form))
      visit(name + ".bias", *slot.bias);
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
  for (size_t i = 0; i < weights.layers.size(); ++i) {
    LayerWeights& layer = weights.layers[i];
    set(layer.attention, shape.causal);
    layer.attention.rotary_theta = shape.rotary.theta_of(static_cast<int64_t>(i));
    layer.attention.disentangled = shape.disentangled;
    layer.attention.window = shape.rotary.window_of(static_cast<int64_t>(i));
    layer.activation = shape.activation;
    layer.attention.relative = shape.relative_buckets > 0;
    if (shape.controller > 0) layer.controller.emplace();
  }
  weights.decoder.resize(static_cast<size_t>(shape.decoder_layers));
  for (DecoderLayerWeights& layer : weights.decoder) {
    set(layer.block.attention, /*causal=*/true);
    set(layer.cross, /*causal=*/false);
  }
  weights.patched = shape.patch_values > 0;
  weights.typed = shape.token_types > 0;
  weights.narrow = shape.embedding > 0;
  weights.padding_position = shape.padding_position;
  weights.head = head;
  weights.densed = shape.dense > 0;
  weights.family = shape.family;
  weights.disentangled = shape.disentangled;
  weights.position_table = shape.has_position_table();
  weights.form = shape.form;
  weights.longest = shape.positions;
  weights.mean_pooling = shape.mean_pooling;
  if (head == OutputHead::masked_lm) weights.masked_head.emplace();
  return weights;
}

ModelWeights fresh_weights(const ModelShape& shape, uint64_t seed, torch::Device device,
                           OutputHead head) {
  const std::vector<TensorSpec> names = tensor_specs(shape, head);
  Random random{seed, 0x77656967687473};
  ModelWeights weights = hollow_weights(shape, head);
  size_t next = 0;
  for_each_tensor(weights, [&](const std::string& name, torch::Tensor& tensor) {
    TORCH_CHECK(names[next].name == name, "tensor_specs() and for_each_tensor() disagree");
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
    if (attention.numbers.defined()) attention.numbers = attention.numbers.to(device);
  });
  return moved;
}

}  // namespace headroom
