// RoBERTa, and under the same tensor names XLM-RoBERTa and CamemBERT: BERT's layers with positions
// counted from behind the padding token's, and a classifier whose first matrix belongs to the
// class.
#include "families/schema.h"

namespace headroom {
namespace {

constexpr ModuleName roberta_modules[] = {
    {Role::words, "roberta.embeddings.word_embeddings"},
    {Role::positions, "roberta.embeddings.position_embeddings"},
    {Role::types, "roberta.embeddings.token_type_embeddings"},
    {Role::embedding_norm, "roberta.embeddings.LayerNorm"},
    {Role::query, "attention.self.query"},
    {Role::key, "attention.self.key"},
    {Role::value, "attention.self.value"},
    {Role::mixing, "attention.self.mixing"},
    {Role::attention_output, "attention.output.dense"},
    {Role::attention_norm, "attention.output.LayerNorm"},
    {Role::up, "intermediate.dense"},
    {Role::down, "output.dense"},
    {Role::ffn_norm, "output.LayerNorm"},
    {Role::masked_transform, "lm_head.dense"},
    {Role::masked_norm, "lm_head.layer_norm"},
    {Role::masked_bias, "lm_head"},
    {Role::pooler, "classifier.dense"},
    {Role::classifier, "classifier.out_proj"},
    {Role::controller_hidden, "attention.controller.hidden"},
    {Role::controller_budget, "attention.controller.budget"},
    {Role::controller_relevance, "attention.controller.relevance"},
};

constexpr SizeKey roberta_sizes[] = {
    {"num_hidden_layers", &ModelShape::layers, 1, 128},
    {"hidden_size", &ModelShape::width, 1, 65536},
    {"num_attention_heads", &ModelShape::heads, 1, 1024},
    {"intermediate_size", &ModelShape::ffn, 1, 1 << 20},
    {"vocab_size", &ModelShape::vocabulary, 5, 10'000'000},
    {"max_position_embeddings", &ModelShape::positions, 2, 1 << 20},
    {"type_vocab_size", &ModelShape::token_types, 1, 16, 2},
    {"pad_token_id", &ModelShape::padding_position, 0, 1 << 20, 1},
};

// The encoder's own pooler is of no use to the classifier, which has another.
constexpr std::string_view roberta_unused_prefixes[] = {"lm_head.", "roberta.pooler.", "pooler."};
constexpr std::string_view roberta_unused[] = {"roberta.embeddings.position_ids",
                                               "roberta.embeddings.token_type_ids"};

constexpr ModelSchema roberta = {
    .model_type = "roberta",
    .prefix = "roberta.",
    .modules = roberta_modules,
    .encoder_layer = "roberta.encoder.layer.{}.",
    .sizes = roberta_sizes,
    .activation_key = "hidden_act",
    .dropout_key = "hidden_dropout_prob",
    .attention_dropout_key = "attention_probs_dropout_prob",
    .classifier_dropout_key = "classifier_dropout",
    .layer_norm_eps_key = "layer_norm_eps",
    .classifier_class = "RobertaForSequenceClassification",
    .encoder_class = "RobertaModel",
    .masked_lm_class = "RobertaForMaskedLM",
    .unused_prefixes = roberta_unused_prefixes,
    .unused_tensors = roberta_unused,
    .tokenizer_class = "RobertaTokenizer",
    .padding_position = 1,
    .single_template = "<s> $A </s>",
    .pair_template = "<s> $A </s> </s> $B </s>",
};

constexpr ModelSchema xlm_roberta() {
  ModelSchema schema = roberta;
  schema.model_type = "xlm-roberta";
  schema.classifier_class = "XLMRobertaForSequenceClassification";
  schema.encoder_class = "XLMRobertaModel";
  schema.masked_lm_class = "XLMRobertaForMaskedLM";
  schema.tokenizer_class = "XLMRobertaTokenizer";
  return schema;
}

constexpr ModelSchema camembert() {
  ModelSchema schema = roberta;
  schema.model_type = "camembert";
  schema.classifier_class = "CamembertForSequenceClassification";
  schema.encoder_class = "CamembertModel";
  schema.masked_lm_class = "CamembertForMaskedLM";
  schema.tokenizer_class = "CamembertTokenizer";
  return schema;
}

}  // namespace

extern const ModelSchema roberta_family, xlm_roberta_family, camembert_family;
constinit const ModelSchema roberta_family = roberta;
constinit const ModelSchema xlm_roberta_family = xlm_roberta();
constinit const ModelSchema camembert_family = camembert();

}  // namespace headroom
