// MPNet: RoBERTa's positions and head, no token types, and a bias by relative position that all
// layers add to their scores.
#include "families/schema.h"

namespace headroom {
namespace {

constexpr ModuleName mpnet_modules[] = {
    {Role::words, "mpnet.embeddings.word_embeddings"},
    {Role::positions, "mpnet.embeddings.position_embeddings"},
    {Role::embedding_norm, "mpnet.embeddings.LayerNorm"},
    {Role::relative_bias, "mpnet.encoder.relative_attention_bias"},
    {Role::query, "attention.attn.q"},
    {Role::key, "attention.attn.k"},
    {Role::value, "attention.attn.v"},
    {Role::attention_output, "attention.attn.o"},
    {Role::attention_norm, "attention.LayerNorm"},
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

constexpr SizeKey mpnet_sizes[] = {
    {"num_hidden_layers", &ModelShape::layers, 1, 128},
    {"hidden_size", &ModelShape::width, 1, 65536},
    {"num_attention_heads", &ModelShape::heads, 1, 1024},
    {"intermediate_size", &ModelShape::ffn, 1, 1 << 20},
    {"vocab_size", &ModelShape::vocabulary, 5, 10'000'000},
    {"max_position_embeddings", &ModelShape::positions, 2, 1 << 20},
    {"relative_attention_num_buckets", &ModelShape::relative_buckets, 4, 508, 32},
};

// The encoder's own pooler is of no use to the classifier, which has another.
constexpr std::string_view mpnet_unused_prefixes[] = {"lm_head.", "mpnet.pooler.", "pooler."};
constexpr std::string_view mpnet_unused[] = {"mpnet.embeddings.position_ids"};

}  // namespace

extern const ModelSchema mpnet_family;
constinit const ModelSchema mpnet_family = {
    .model_type = "mpnet",
    .prefix = "mpnet.",
    .modules = mpnet_modules,
    .encoder_layer = "mpnet.encoder.layer.{}.",
    .sizes = mpnet_sizes,
    .activation_key = "hidden_act",
    .dropout_key = "hidden_dropout_prob",
    .attention_dropout_key = "attention_probs_dropout_prob",
    .classifier_dropout_key = "classifier_dropout",
    .layer_norm_eps_key = "layer_norm_eps",
    .classifier_class = "MPNetForSequenceClassification",
    .encoder_class = "MPNetModel",
    .masked_lm_class = "MPNetForMaskedLM",
    .unused_prefixes = mpnet_unused_prefixes,
    .unused_tensors = mpnet_unused,
    .tokenizer_class = "MPNetTokenizer",
    .padding_position = 1,  // whatever pad_token_id says
    .single_template = "<s> $A </s>",
    .pair_template = "<s> $A </s> </s> $B </s>",
};

}  // namespace headroom
