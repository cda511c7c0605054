// ELECTRA's discriminator: BERT's layers behind tables that may be narrower than the model, and a
// classifier with GELU in its head.
#include "families/schema.h"

namespace headroom {
namespace {

constexpr ModuleName electra_modules[] = {
    {Role::words, "electra.embeddings.word_embeddings"},
    {Role::positions, "electra.embeddings.position_embeddings"},
    {Role::types, "electra.embeddings.token_type_embeddings"},
    {Role::embedding_norm, "electra.embeddings.LayerNorm"},
    {Role::embedding_projection, "electra.embeddings_project"},
    {Role::query, "attention.self.query"},
    {Role::key, "attention.self.key"},
    {Role::value, "attention.self.value"},
    {Role::mixing, "attention.self.mixing"},
    {Role::attention_output, "attention.output.dense"},
    {Role::attention_norm, "attention.output.LayerNorm"},
    {Role::up, "intermediate.dense"},
    {Role::down, "output.dense"},
    {Role::ffn_norm, "output.LayerNorm"},
    {Role::masked_transform, "generator_predictions.dense"},
    {Role::masked_norm, "generator_predictions.LayerNorm"},
    {Role::masked_bias, "generator_lm_head"},
    {Role::pooler, "classifier.dense"},
    {Role::classifier, "classifier.out_proj"},
    {Role::controller_hidden, "attention.controller.hidden"},
    {Role::controller_budget, "attention.controller.budget"},
    {Role::controller_relevance, "attention.controller.relevance"},
};

constexpr SizeKey electra_sizes[] = {
    {"num_hidden_layers", &ModelShape::layers, 1, 128},
    {"hidden_size", &ModelShape::width, 1, 65536},
    {"embedding_size", &ModelShape::embedding, 1, 65536},
    {"num_attention_heads", &ModelShape::heads, 1, 1024},
    {"intermediate_size", &ModelShape::ffn, 1, 1 << 20},
    {"vocab_size", &ModelShape::vocabulary, 5, 10'000'000},
    {"max_position_embeddings", &ModelShape::positions, 2, 1 << 20},
    {"type_vocab_size", &ModelShape::token_types, 1, 16, 2},
};

constexpr std::string_view electra_classes[] = {"ElectraForPreTraining"};
constexpr std::string_view electra_unused_prefixes[] = {"discriminator_predictions.", "generator_"};
constexpr std::string_view electra_unused[] = {"electra.embeddings.position_ids",
                                               "electra.embeddings.token_type_ids"};

}  // namespace

extern const ModelSchema electra_family;
constinit const ModelSchema electra_family = {
    .model_type = "electra",
    .prefix = "electra.",
    .modules = electra_modules,
    .encoder_layer = "electra.encoder.layer.{}.",
    .sizes = electra_sizes,
    .activation_key = "hidden_act",
    .dropout_key = "hidden_dropout_prob",
    .attention_dropout_key = "attention_probs_dropout_prob",
    .classifier_dropout_key = "classifier_dropout",
    .layer_norm_eps_key = "layer_norm_eps",
    .classifier_class = "ElectraForSequenceClassification",
    .encoder_class = "ElectraModel",
    .masked_lm_class = "ElectraForMaskedLM",
    .other_classes = electra_classes,
    .unused_prefixes = electra_unused_prefixes,
    .unused_tensors = electra_unused,
    .tokenizer_class = "ElectraTokenizer",
    .pooler_activation = ActivationKind::gelu,
};

}  // namespace headroom
