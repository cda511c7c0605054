// BERT, and in its manner what is ours: other attentions, controllers, images, language models and
// translation.
#include "families/schema.h"

namespace headroom {
namespace {

constexpr ModuleName bert_modules[] = {
    {Role::words, "bert.embeddings.word_embeddings"},
    {Role::patches, "bert.embeddings.patches"},
    {Role::class_token, "bert.embeddings.class_embeddings"},
    {Role::positions, "bert.embeddings.position_embeddings"},
    {Role::types, "bert.embeddings.token_type_embeddings"},
    {Role::embedding_norm, "bert.embeddings.LayerNorm"},
    {Role::embedding_projection, "bert.embeddings_project"},
    {Role::query, "attention.self.query"},
    {Role::key, "attention.self.key"},
    {Role::value, "attention.self.value"},
    {Role::mixing, "attention.self.mixing"},
    {Role::attention_output, "attention.output.dense"},
    {Role::attention_norm, "attention.output.LayerNorm"},
    {Role::up, "intermediate.dense"},
    {Role::down, "output.dense"},
    {Role::ffn_norm, "output.LayerNorm"},
    {Role::masked_transform, "cls.predictions.transform.dense"},
    {Role::masked_norm, "cls.predictions.transform.LayerNorm"},
    {Role::masked_bias, "cls.predictions"},
    {Role::language_bias, "lm_head"},
    {Role::pooler, "bert.pooler.dense"},
    {Role::classifier, "classifier"},
    {Role::controller_hidden, "attention.controller.hidden"},
    {Role::controller_budget, "attention.controller.budget"},
    {Role::controller_relevance, "attention.controller.relevance"},
};

constexpr SizeKey bert_sizes[] = {
    {"num_hidden_layers", &ModelShape::layers, 1, 128},
    {"hidden_size", &ModelShape::width, 1, 65536},
    {"num_attention_heads", &ModelShape::heads, 1, 1024},
    {"intermediate_size", &ModelShape::ffn, 1, 1 << 20},
    {"vocab_size", &ModelShape::vocabulary, 5, 10'000'000},
    {"max_position_embeddings", &ModelShape::positions, 2, 1 << 20},
    {"type_vocab_size", &ModelShape::token_types, 1, 16, 2},
    {"embedding_size", &ModelShape::embedding, 1, 65536, 0},
};

constexpr std::string_view bert_classes[] = {"BertForPreTraining", "BertForNextSentencePrediction"};
constexpr std::string_view bert_unused_prefixes[] = {"cls."};
// 0, 1, 2, ...: saved with the weights by versions before 4.31.
constexpr std::string_view bert_unused[] = {"bert.embeddings.position_ids",
                                            "bert.embeddings.token_type_ids"};
// Norms of files converted from TensorFlow. Only norms: renaming every gamma breaks models that
// have one of their own.
constexpr NameEnding bert_endings[] = {{"LayerNorm.weight", "LayerNorm.gamma"},
                                       {"LayerNorm.bias", "LayerNorm.beta"}};

}  // namespace

extern const ModelSchema bert_family;
constinit const ModelSchema bert_family = {
    .model_type = "bert",
    .prefix = "bert.",
    .modules = bert_modules,
    .encoder_layer = "bert.encoder.layer.{}.",
    .decoder_layer = "bert.decoder.layer.{}.",
    .cross_layer = "bert.decoder.layer.{}.cross",
    .sizes = bert_sizes,
    .activation_key = "hidden_act",
    .dropout_key = "hidden_dropout_prob",
    .attention_dropout_key = "attention_probs_dropout_prob",
    .classifier_dropout_key = "classifier_dropout",
    .layer_norm_eps_key = "layer_norm_eps",
    .classifier_class = "BertForSequenceClassification",
    .encoder_class = "BertModel",
    .masked_lm_class = "BertForMaskedLM",
    .other_classes = bert_classes,
    .unused_prefixes = bert_unused_prefixes,
    .unused_tensors = bert_unused,
    .former_endings = bert_endings,
};

}  // namespace headroom
