// DistilBERT: BERT's layers under other names, without token types, and a classifier whose first
// matrix, with ReLU behind it, belongs to the class and not to the encoder.
#include "families/schema.h"

namespace headroom {
namespace {

constexpr ModuleName distilbert_modules[] = {
    {Role::words, "distilbert.embeddings.word_embeddings"},
    {Role::positions, "distilbert.embeddings.position_embeddings"},
    {Role::embedding_norm, "distilbert.embeddings.LayerNorm"},
    {Role::query, "attention.q_lin"},
    {Role::key, "attention.k_lin"},
    {Role::value, "attention.v_lin"},
    {Role::mixing, "attention.mixing"},
    {Role::attention_output, "attention.out_lin"},
    {Role::attention_norm, "sa_layer_norm"},
    {Role::up, "ffn.lin1"},
    {Role::down, "ffn.lin2"},
    {Role::ffn_norm, "output_layer_norm"},
    {Role::masked_transform, "vocab_transform"},
    {Role::masked_norm, "vocab_layer_norm"},
    {Role::masked_bias, "vocab_projector"},
    {Role::pooler, "pre_classifier"},
    {Role::classifier, "classifier"},
    {Role::controller_hidden, "attention.controller.hidden"},
    {Role::controller_budget, "attention.controller.budget"},
    {Role::controller_relevance, "attention.controller.relevance"},
};

constexpr SizeKey distilbert_sizes[] = {
    {"n_layers", &ModelShape::layers, 1, 128},
    {"dim", &ModelShape::width, 1, 65536},
    {"n_heads", &ModelShape::heads, 1, 1024},
    {"hidden_dim", &ModelShape::ffn, 1, 1 << 20},
    {"vocab_size", &ModelShape::vocabulary, 5, 10'000'000},
    {"max_position_embeddings", &ModelShape::positions, 2, 1 << 20},
};

constexpr std::string_view distilbert_unused_prefixes[] = {"vocab_", "qa_outputs."};
constexpr std::string_view distilbert_unused[] = {"distilbert.embeddings.position_ids"};

}  // namespace

extern const ModelSchema distilbert_family;
constinit const ModelSchema distilbert_family = {
    .model_type = "distilbert",
    .prefix = "distilbert.",
    .modules = distilbert_modules,
    .encoder_layer = "distilbert.transformer.layer.{}.",
    .sizes = distilbert_sizes,
    .activation_key = "activation",
    .dropout_key = "dropout",
    .attention_dropout_key = "attention_dropout",
    .classifier_dropout_key = "seq_classif_dropout",
    .classifier_class = "DistilBertForSequenceClassification",
    .encoder_class = "DistilBertModel",
    .masked_lm_class = "DistilBertForMaskedLM",
    .unused_prefixes = distilbert_unused_prefixes,
    .unused_tensors = distilbert_unused,
    .tokenizer_class = "DistilBertTokenizer",
    .pooler_activation = ActivationKind::relu,
    .pair_template = "[CLS] $A [SEP] $B [SEP]",
};

}  // namespace headroom
