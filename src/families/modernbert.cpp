// ModernBERT: norms in front of attention and FFN, no biases, rotary positions, a gated FFN, and a
// window of tokens in all but every n-th layer.
#include <fmt/format.h>

#include "families/schema.h"

namespace headroom {
namespace {

constexpr ModuleName modernbert_modules[] = {
    {Role::words, "model.embeddings.tok_embeddings"},
    {Role::embedding_norm, "model.embeddings.norm"},
    {Role::query, "attn.query"},
    {Role::key, "attn.key"},
    {Role::value, "attn.value"},
    {Role::mixing, "attn.mixing"},
    {Role::attention_output, "attn.Wo"},
    {Role::attention_norm, "attn_norm"},
    {Role::up, "mlp.up"},
    {Role::gate, "mlp.gate"},
    {Role::down, "mlp.Wo"},
    {Role::ffn_norm, "mlp_norm"},
    {Role::final_norm, "model.final_norm"},
    {Role::masked_transform, "head.dense"},
    {Role::masked_norm, "head.norm"},
    {Role::masked_bias, "decoder"},
    {Role::pooler, "head.dense"},
    {Role::pooler_norm, "head.norm"},
    {Role::classifier, "classifier"},
    {Role::controller_hidden, "attn.controller.hidden"},
    {Role::controller_budget, "attn.controller.budget"},
    {Role::controller_relevance, "attn.controller.relevance"},
};

constexpr Role attention_inputs[] = {Role::query, Role::key, Role::value};
constexpr Role gated_inputs[] = {Role::up, Role::gate};
constexpr FusedModules modernbert_fused[] = {{"attn.Wqkv", attention_inputs},
                                             {"mlp.Wi", gated_inputs}};

constexpr SizeKey modernbert_sizes[] = {
    {"num_hidden_layers", &ModelShape::layers, 1, 128},
    {"hidden_size", &ModelShape::width, 1, 65536},
    {"num_attention_heads", &ModelShape::heads, 1, 1024},
    {"intermediate_size", &ModelShape::ffn, 1, 1 << 20},
    {"vocab_size", &ModelShape::vocabulary, 5, 10'000'000},
    {"max_position_embeddings", &ModelShape::positions, 2, 1 << 20},
};

constexpr std::string_view modernbert_unused_prefixes[] = {"head.", "decoder."};

constexpr const char* layer_kind(bool local) {
  return local ? "sliding_attention" : "full_attention";
}

// Since version 5 a table by kind of layer; before, and where it is not there, a key each.
double read_theta(const JsonFields& fields, const char* former_key, bool local, double fallback) {
  const double theta = fields.number_or(former_key, fallback, 1.0, 1e12);
  if (!fields.has("rope_parameters")) return theta;
  const JsonFields kinds(fields.object("rope_parameters"), ErrorCode::bad_model,
                         "config.json rope_parameters");
  if (!kinds.has(layer_kind(local))) return theta;
  const JsonFields own(kinds.object(layer_kind(local)), ErrorCode::bad_model,
                       fmt::format("config.json rope_parameters.{}", layer_kind(local)));
  const std::string type = own.text_or("rope_type", "default");
  if (type != "default") own.fail("rope_type", fmt::format("is \"{}\", expected default", type));
  if (own.number_or("partial_rotary_factor", 1.0, 0.0, 1.0) != 1.0) {
    own.fail("partial_rotary_factor", "is set: all of a head is rotated here");
  }
  return own.number_or("rope_theta", theta, 1.0, 1e12);
}

void check_layer_kinds(const JsonFields& fields, const ModelShape& shape) {
  if (!fields.has("layer_types")) return;
  const Json& kinds = fields.array("layer_types");
  for (int64_t i = 0; i < shape.layers; ++i) {
    const char* expected = layer_kind(shape.rotary.is_local(i));
    if (static_cast<int64_t>(kinds.size()) == shape.layers &&
        kinds[static_cast<size_t>(i)] == expected) {
      continue;
    }
    fields.fail("layer_types", fmt::format("is not what global_attn_every_n_layers = {} says: "
                                           "layer {} should be {}",
                                           shape.rotary.global_every, i, expected));
  }
}

// Transformers' tagger has the classifier's dense layer and norm in front of every token, ours has
// not: dropping them would leave another network.
void refuse_tagger(const JsonFields& fields) {
  if (fields.has("headroom") || !fields.has("architectures")) return;
  const Json& classes = fields.array("architectures");
  if (!classes.empty() && classes[0] == "ModernBertForTokenClassification") {
    fields.fail("architectures",
                "is \"ModernBertForTokenClassification\", whose head.dense and "
                "head.norm are not computed: of ModernBERT, classifiers and "
                "encoders are imported");
  }
}

void read_modernbert(const JsonFields& fields, ModelShape& shape) {
  refuse_tagger(fields);
  for (const char* key : {"attention_bias", "mlp_bias", "norm_bias", "classifier_bias"}) {
    if (fields.boolean_or(key, false)) fields.fail(key, "is true, only false is computed");
  }
  const std::string activation = fields.text_or("classifier_activation", "gelu");
  if (activation != "gelu") {
    fields.fail("classifier_activation", fmt::format("is \"{}\", expected \"gelu\"", activation));
  }
  const std::string pooling = fields.text_or("classifier_pooling", "cls");
  if (pooling != "cls" && pooling != "mean") {
    fields.fail("classifier_pooling",
                fmt::format("is \"{}\", expected \"cls\" or \"mean\"", pooling));
  }
  shape.mean_pooling = pooling == "mean";
  shape.form = {NormOrder::pre, /*gated_ffn=*/true, /*pooler_norm=*/true, /*biases=*/false};
  if (shape.head_width() % 2 != 0) {
    fields.fail("hidden_size", fmt::format("gives heads of {}, but rotary positions need an even "
                                           "width",
                                           shape.head_width()));
  }
  RotaryShape& rotary = shape.rotary;
  rotary.global_every = fields.integer_or("global_attn_every_n_layers", 3, 1, 1024);
  rotary.window = fields.integer_or("local_attention", 128, 2, 1 << 20) / 2;
  rotary.theta = read_theta(fields, "global_rope_theta", /*local=*/false, 160000.0);
  rotary.local_theta = read_theta(fields, "local_rope_theta", /*local=*/true, 10000.0);
  check_layer_kinds(fields, shape);
}

void write_modernbert(const ModelShape& shape, Json& json) {
  const RotaryShape& rotary = shape.rotary;
  for (const char* key : {"attention_bias", "mlp_bias", "norm_bias", "classifier_bias"}) {
    json[key] = false;
  }
  json["classifier_activation"] = "gelu";
  json["classifier_pooling"] = shape.mean_pooling ? "mean" : "cls";
  json["global_attn_every_n_layers"] = rotary.global_every;
  json["local_attention"] = 2 * rotary.window;
  json["global_rope_theta"] = rotary.theta;  // until version 5
  json["local_rope_theta"] = rotary.local_theta;
  for (const bool local : {false, true}) {
    json["rope_parameters"][layer_kind(local)] = {
        {"rope_theta", local ? rotary.local_theta : rotary.theta}, {"rope_type", "default"}};
  }
  json["layer_types"] = Json::array();
  for (int64_t i = 0; i < shape.layers; ++i) {
    json["layer_types"].push_back(layer_kind(rotary.is_local(i)));
  }
}

}  // namespace

extern const ModelSchema modernbert_family;
constinit const ModelSchema modernbert_family = {
    .model_type = "modernbert",
    .prefix = "model.",
    .modules = modernbert_modules,
    .fused = modernbert_fused,
    .encoder_layer = "model.layers.{}.",
    .sizes = modernbert_sizes,
    .activation_key = "hidden_activation",
    .dropout_key = "mlp_dropout",
    .attention_dropout_key = "attention_dropout",
    .classifier_dropout_key = "classifier_dropout",
    .layer_norm_eps_key = "norm_eps",
    .read_network = read_modernbert,
    .write_network = write_modernbert,
    .classifier_class = "ModernBertForSequenceClassification",
    .encoder_class = "ModernBertModel",
    .masked_lm_class = "ModernBertForMaskedLM",
    .unused_prefixes = modernbert_unused_prefixes,
    .tokenizer_class = "PreTrainedTokenizerFast",
    .pooler_activation = ActivationKind::gelu,
    .pair_template = "[CLS] $A [SEP] $B [SEP]",
};

}  // namespace headroom
