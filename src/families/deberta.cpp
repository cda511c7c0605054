// DeBERTa-v2 and v3: scores between contents and relative positions, whose table all layers share
// and project by head; no positions in the embeddings, and a classifier whose first matrix belongs
// to the class.
#include <fmt/format.h>

#include <algorithm>

#include "families/schema.h"

namespace headroom {
namespace {

constexpr ModuleName deberta_modules[] = {
    {Role::words, "deberta.embeddings.word_embeddings"},
    {Role::positions, "deberta.embeddings.position_embeddings"},
    {Role::types, "deberta.embeddings.token_type_embeddings"},
    {Role::embedding_norm, "deberta.embeddings.LayerNorm"},
    {Role::relative, "deberta.encoder.rel_embeddings"},
    {Role::relative_norm, "deberta.encoder.LayerNorm"},
    {Role::query, "attention.self.query_proj"},
    {Role::key, "attention.self.key_proj"},
    {Role::value, "attention.self.value_proj"},
    {Role::relative_key, "attention.self.pos_key_proj"},
    {Role::relative_query, "attention.self.pos_query_proj"},
    {Role::mixing, "attention.self.mixing"},
    {Role::attention_output, "attention.output.dense"},
    {Role::attention_norm, "attention.output.LayerNorm"},
    {Role::up, "intermediate.dense"},
    {Role::down, "output.dense"},
    {Role::ffn_norm, "output.LayerNorm"},
    {Role::masked_transform, "cls.predictions.transform.dense"},
    {Role::masked_norm, "cls.predictions.transform.LayerNorm"},
    {Role::masked_bias, "cls.predictions"},
    {Role::pooler, "pooler.dense"},
    {Role::classifier, "classifier"},
    {Role::controller_hidden, "attention.controller.hidden"},
    {Role::controller_budget, "attention.controller.budget"},
    {Role::controller_relevance, "attention.controller.relevance"},
};

constexpr SizeKey deberta_sizes[] = {
    {"num_hidden_layers", &ModelShape::layers, 1, 128},
    {"hidden_size", &ModelShape::width, 1, 65536},
    {"num_attention_heads", &ModelShape::heads, 1, 1024},
    {"intermediate_size", &ModelShape::ffn, 1, 1 << 20},
    {"vocab_size", &ModelShape::vocabulary, 5, 10'000'000},
    {"max_position_embeddings", &ModelShape::positions, 2, 1 << 20},
    {"type_vocab_size", &ModelShape::token_types, 0, 16, 0},
};

// Of the generator and discriminator that v3 was pretrained with, too.
constexpr std::string_view deberta_unused_prefixes[] = {"cls.", "lm_predictions.",
                                                        "mask_predictions."};
constexpr std::string_view deberta_unused[] = {"deberta.embeddings.position_ids"};

// A list, or its elements with "|" between them.
bool names_term(const JsonFields& fields, const Json& given, std::string_view term) {
  if (given.is_array()) return std::find(given.begin(), given.end(), term) != given.end();
  if (!given.is_string()) fields.fail("pos_att_type", "is neither a list nor a string");
  return given.get<std::string>().find(term) != std::string::npos;
}

void read_terms(const JsonFields& fields, DisentangledShape& relative) {
  const Json given = fields.has("pos_att_type") && fields.is_text("pos_att_type")
                         ? Json(fields.text("pos_att_type"))
                     : fields.has("pos_att_type") ? fields.array("pos_att_type")
                                                  : Json::array();
  relative.content_to_position = names_term(fields, given, "c2p");
  relative.position_to_content = names_term(fields, given, "p2c");
  if (names_term(fields, given, "p2p")) {
    fields.fail("pos_att_type", "has p2p, only c2p and p2c are computed");
  }
}

void expect_number(const JsonFields& fields, const char* key, int64_t only) {
  const int64_t found = fields.integer_or(key, only, 0, 1 << 20);
  if (found != only) fields.fail(key, fmt::format("is {}, expected {}", found, only));
}

void read_deberta(const JsonFields& fields, ModelShape& shape) {
  if (!fields.boolean_or("relative_attention", false)) {
    fields.fail("relative_attention", "is false: without it there is nothing of DeBERTa to run");
  }
  expect_number(fields, "conv_kernel_size", 0);
  expect_number(fields, "embedding_size", shape.width);
  expect_number(fields, "pooler_hidden_size", shape.width);
  expect_number(fields, "attention_head_size", shape.head_width());
  const std::string pooled = fields.text_or("pooler_hidden_act", "gelu");
  if (pooled != "gelu") {
    fields.fail("pooler_hidden_act", fmt::format("is \"{}\", expected \"gelu\"", pooled));
  }
  DisentangledShape& relative = shape.disentangled;
  const int64_t farthest = fields.integer_or("max_relative_positions", -1, -1, 1 << 20);
  relative.farthest = farthest < 1 ? shape.positions : farthest;
  const int64_t buckets = fields.integer_or("position_buckets", -1, -1, 1 << 20);
  if (buckets == 1 || (buckets > 0 && relative.farthest - 1 <= buckets / 2)) {
    fields.fail("position_buckets",
                fmt::format("is {}, which does not fit max_relative_positions = {}", buckets,
                            relative.farthest));
  }
  relative.buckets = std::max<int64_t>(buckets, 0);
  read_terms(fields, relative);
  relative.shared_projections = fields.boolean_or("share_att_key", false);
  relative.position_table = fields.boolean_or("position_biased_input", true);
  const std::string norm = fields.text_or("norm_rel_ebd", "none");
  if (norm != "none" && norm != "layer_norm") {
    fields.fail("norm_rel_ebd", fmt::format("is \"{}\", expected none or layer_norm", norm));
  }
  relative.norm = norm == "layer_norm";
}

void write_deberta(const ModelShape& shape, Json& json) {
  const DisentangledShape& relative = shape.disentangled;
  json["type_vocab_size"] = shape.token_types;
  json["relative_attention"] = true;
  json["max_relative_positions"] = relative.farthest;
  json["position_buckets"] = relative.buckets > 0 ? relative.buckets : -1;
  json["pos_att_type"] = Json::array();
  if (relative.position_to_content) json["pos_att_type"].push_back("p2c");
  if (relative.content_to_position) json["pos_att_type"].push_back("c2p");
  json["share_att_key"] = relative.shared_projections;
  json["position_biased_input"] = relative.position_table;
  json["norm_rel_ebd"] = relative.norm ? "layer_norm" : "none";
  json["pooler_hidden_act"] = "gelu";
  json["pooler_hidden_size"] = shape.width;
  json["pooler_dropout"] = 0;
}

}  // namespace

extern const ModelSchema deberta_family;
constinit const ModelSchema deberta_family = {
    .model_type = "deberta-v2",
    .prefix = "deberta.",
    .modules = deberta_modules,
    .encoder_layer = "deberta.encoder.layer.{}.",
    .sizes = deberta_sizes,
    .activation_key = "hidden_act",
    .dropout_key = "hidden_dropout_prob",
    .attention_dropout_key = "attention_probs_dropout_prob",
    .classifier_dropout_key = "cls_dropout",
    .layer_norm_eps_key = "layer_norm_eps",
    .read_network = read_deberta,
    .write_network = write_deberta,
    .classifier_class = "DebertaV2ForSequenceClassification",
    .encoder_class = "DebertaV2Model",
    .masked_lm_class = "DebertaV2ForMaskedLM",
    .unused_prefixes = deberta_unused_prefixes,
    .unused_tensors = deberta_unused,
    .tokenizer_class = "DebertaV2Tokenizer",
    .pooler_activation = ActivationKind::gelu,
};

}  // namespace headroom
