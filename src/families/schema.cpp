#include "families/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "families/families.h"

namespace headroom {
namespace {

// Outside the encoder, and the same in every family that does not say otherwise.
constexpr ModuleName common_modules[] = {
    {Role::tagger, "classifier"},
    {Role::dense, "dense"},
};

class ModuleList {
 public:
  explicit ModuleList(const NetworkParts& parts) : parts_(parts) {}

  void add(std::initializer_list<Role> roles) { add_layer(Stack::none, 0, roles); }

  void add_layer(Stack stack, int64_t layer, std::initializer_list<Role> roles) {
    for (const Role role : roles) list_.push_back({role, stack, layer});
  }

  void add_attention(Stack stack, int64_t layer) {
    add_layer(stack, layer, {Role::query});
    if (has_key_projection(parts_.attention)) add_layer(stack, layer, {Role::key});
    if (has_value_projection(parts_.attention)) add_layer(stack, layer, {Role::value});
    const DisentangledShape& relative = parts_.disentangled;
    if (!relative.shared_projections) {
      if (relative.content_to_position) add_layer(stack, layer, {Role::relative_key});
      if (relative.position_to_content) add_layer(stack, layer, {Role::relative_query});
    }
    if (has_mixing(parts_.attention) || parts_.mixing) add_layer(stack, layer, {Role::mixing});
    add_layer(stack, layer, {Role::attention_output});
    if (parts_.form.norms == NormOrder::post || layer > 0) {
      add_layer(stack, layer, {Role::attention_norm});
    }
  }

  void add_ffn(Stack stack, int64_t layer) {
    add_layer(stack, layer, {Role::up});
    if (parts_.form.gated_ffn) add_layer(stack, layer, {Role::gate});
    add_layer(stack, layer, {Role::down, Role::ffn_norm});
  }

  std::vector<Module> take() { return std::move(list_); }

 private:
  const NetworkParts& parts_;
  std::vector<Module> list_;
};

// Of the module's weight, or of what is all bias.
std::vector<int64_t> module_shape(const Module& module, const ModelShape& shape,
                                  const Selection& stored) {
  const int64_t D = shape.width;
  const int64_t tables = shape.embedding_width();
  const bool sliced = module.stack == Stack::encoder;
  const int64_t E = sliced ? stored.heads_of(module.layer) * shape.head_width() : D;
  const int64_t F = sliced ? stored.ffn_of(module.layer, shape.ffn) : shape.ffn;
  switch (module.role) {
    case Role::words:
      return {shape.vocabulary, tables};
    case Role::patches:
      return {D, shape.patch_values};
    case Role::class_token:
      return {1, D};
    case Role::positions:
      return {shape.position_rows(), tables};
    case Role::relative:
      return {shape.disentangled.rows(), D};
    case Role::types:
      return {shape.token_types, tables};
    case Role::embedding_projection:
      return {D, tables};
    case Role::relative_bias:
      return {shape.relative_buckets, shape.heads};
    case Role::query:
    case Role::key:
    case Role::value:
    case Role::relative_key:
    case Role::relative_query:
      return {E, D};
    case Role::mixing:
      return {shape.positions, shape.positions};
    case Role::attention_output:
      return {D, E};
    case Role::up:
    case Role::gate:
      return {F, D};
    case Role::down:
      return {D, F};
    case Role::masked_transform:
      return {tables, D};
    case Role::pooler:
      return {D, D};
    case Role::masked_bias:
    case Role::language_bias:
      return {shape.vocabulary};
    case Role::classifier:
    case Role::tagger:
      return {shape.labels, D};
    case Role::dense:
      return {shape.dense, D};
    case Role::controller_hidden:
      return {shape.controller, D};
    case Role::controller_budget:
      return {1, shape.controller};
    case Role::controller_relevance:
      return {shape.heads, D};
    case Role::embedding_norm:
    case Role::masked_norm:
      return {tables};
    case Role::relative_norm:
    case Role::attention_norm:
    case Role::ffn_norm:
    case Role::final_norm:
    case Role::pooler_norm:
      break;
  }
  return {D};
}

}  // namespace

bool has_weight(Role role) {
  return role != Role::masked_bias && role != Role::language_bias;
}

bool has_bias(Role role, const NetworkForm& form) {
  const bool ours = role == Role::controller_hidden || role == Role::controller_budget ||
                    role == Role::controller_relevance;
  const bool always = ours || role == Role::classifier || role == Role::tagger ||
                      role == Role::dense || role == Role::masked_bias;
  return (form.biases || always) && role != Role::words && role != Role::class_token &&
         role != Role::positions && role != Role::relative && role != Role::types &&
         role != Role::mixing && role != Role::relative_bias;
}

bool is_norm(Role role) {
  return role == Role::embedding_norm || role == Role::relative_norm ||
         role == Role::attention_norm || role == Role::ffn_norm || role == Role::final_norm ||
         role == Role::masked_norm || role == Role::pooler_norm;
}

std::vector<Module> modules_of(const NetworkParts& parts) {
  ModuleList list(parts);
  if (parts.patches) {
    list.add({Role::patches, Role::class_token});
  } else {
    list.add({Role::words});
  }
  if (parts.positions) list.add({Role::positions});
  if (parts.types) list.add({Role::types});
  list.add({Role::embedding_norm});
  if (parts.narrow_embeddings) list.add({Role::embedding_projection});
  if (parts.relative_bias) list.add({Role::relative_bias});
  if (parts.disentangled.farthest > 0) list.add({Role::relative});
  if (parts.disentangled.norm) list.add({Role::relative_norm});
  for (int64_t i = 0; i < parts.layers; ++i) {
    list.add_attention(Stack::encoder, i);
    list.add_ffn(Stack::encoder, i);
  }
  for (int64_t i = 0; i < parts.decoder_layers; ++i) {
    list.add_attention(Stack::decoder, i);
    list.add_attention(Stack::cross, i);
    list.add_ffn(Stack::decoder, i);
  }
  if (parts.form.norms == NormOrder::pre) list.add({Role::final_norm});
  const bool classifies = parts.head == OutputHead::classifier;
  if (parts.head == OutputHead::masked_lm) {
    list.add({Role::masked_transform, Role::masked_norm, Role::masked_bias});
  }
  if (parts.head == OutputHead::language) list.add({Role::language_bias});
  if (classifies || parts.head == OutputHead::pooler) list.add({Role::pooler});
  if (classifies && parts.form.pooler_norm) list.add({Role::pooler_norm});
  if (classifies) list.add({Role::classifier});
  if (parts.head == OutputHead::tagger) list.add({Role::tagger});
  if (parts.head == OutputHead::vector && parts.dense) list.add({Role::dense});
  for (int64_t i = 0; i < parts.layers && parts.controllers; ++i) {
    list.add_layer(Stack::encoder, i,
                   {Role::controller_hidden, Role::controller_budget, Role::controller_relevance});
  }
  return list.take();
}

std::string ModelSchema::tagger_class() const {
  constexpr std::string_view ending = "ForSequenceClassification";
  std::string name(classifier_class);
  if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  return name + "ForTokenClassification";
}

std::string ModelSchema::name_of(const Module& module) const {
  const auto same_role = [&](const ModuleName& each) { return each.role == module.role; };
  auto found = std::find_if(modules.begin(), modules.end(), same_role);
  if (found == modules.end()) {
    const std::span<const ModuleName> common = common_modules;
    found = std::find_if(common.begin(), common.end(), same_role);
    if (found != common.end()) return std::string(found->name);
    throw std::logic_error(fmt::format("family {} has no name for role {}", model_type,
                                       static_cast<int>(module.role)));
  }
  return name_of(found->name, module);
}

std::string ModelSchema::name_of(std::string_view name, const Module& module) const {
  if (module.stack == Stack::none) return std::string(name);
  const std::string_view layer = module.stack == Stack::encoder   ? encoder_layer
                                 : module.stack == Stack::decoder ? decoder_layer
                                                                  : cross_layer;
  return fmt::format(fmt::runtime(layer), module.layer).append(name);
}

const FusedModules* ModelSchema::fused_with(Role role) const {
  for (const FusedModules& each : fused) {
    if (std::find(each.roles.begin(), each.roles.end(), role) != each.roles.end()) return &each;
  }
  return nullptr;
}

std::vector<TensorSpec> tensor_specs(const ModelShape& shape, OutputHead head) {
  return tensor_specs(shape, head, all_heads(shape.layers, shape.heads));
}

std::vector<TensorSpec> tensor_specs(const ModelShape& shape, OutputHead head,
                                     const Selection& stored) {
  const ModelSchema& schema = schema_of(shape);
  const NetworkParts parts = {.form = shape.form,
                              .disentangled = shape.disentangled,
                              .positions = shape.has_position_table(),
                              .layers = shape.layers,
                              .decoder_layers = shape.decoder_layers,
                              .patches = shape.patch_values > 0,
                              .types = shape.token_types > 0,
                              .attention = shape.attention,
                              .controllers = shape.controller > 0,
                              .narrow_embeddings = shape.embedding > 0,
                              .relative_bias = shape.relative_buckets > 0,
                              .head = head,
                              .dense = shape.dense > 0};
  std::vector<TensorSpec> specs;
  for (const Module& module : modules_of(parts)) {
    const std::string name = schema.name_of(module);
    const std::vector<int64_t> dims = module_shape(module, shape, stored);
    if (has_weight(module.role)) specs.push_back({name + ".weight", dims, module, false});
    if (has_bias(module.role, shape.form))
      specs.push_back({name + ".bias", {dims[0]}, module, true});
  }
  return specs;
}

}  // namespace headroom
