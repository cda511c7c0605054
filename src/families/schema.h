// What a model family is, as data: its modules under Hugging Face's names, the keys of its
// config.json, its classes there, and where its network differs from BERT's. Everything that
// reads, writes or computes a model derives from this, so a family is one file beside this one and
// a line in families.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "budget/selection.h"
#include "budget/shape.h"

namespace headroom {

// What a module is for. A module has a weight and a bias, or one of the two.
enum class Role {
  words,
  patches,      // images: numbers of a patch to the model's width
  class_token,  // images: the row in front of the patches
  positions,
  types,
  embedding_norm,
  relative,  // disentangled attention: the table of relative positions
  relative_norm,
  embedding_projection,  // from narrower tables to the model's width
  relative_bias,         // of all layers: a number for each bucket and head
  query,
  key,
  value,
  relative_key,  // disentangled attention: projections of relative positions
  relative_query,
  mixing,  // Super Attention: between the values of all positions
  attention_output,
  attention_norm,
  up,    // the FFN
  gate,  // of a gated FFN: what its activations are multiplied by
  down,
  ffn_norm,
  final_norm,        // behind the last layer, where norms come first
  masked_transform,  // the masked language model's head; its matrix is the word table
  masked_norm,
  masked_bias,
  language_bias,  // the language model's head; its matrix is the word table
  pooler,
  pooler_norm,
  classifier,
  tagger,             // a classifier of every token
  dense,              // behind a pooled vector
  controller_hidden,  // what chooses heads per input
  controller_budget,
  controller_relevance,
};

enum class Stack { none, encoder, decoder, cross };  // cross: a decoder's second attention

struct Module {
  Role role = Role::words;
  Stack stack = Stack::none;
  int64_t layer = 0;
};

enum class OutputHead {
  classifier,  // [CLS] pooler and classifier
  masked_lm,   // predicts hidden tokens
  pooler,      // a bare encoder with its [CLS] pooler
  none,        // a bare encoder
  language,    // predicts the next token
  tagger,      // a classifier of every token
  vector,      // rows pooled to a vector, with a dense layer behind it or without
};

// Which modules a network has.
struct NetworkParts {
  NetworkForm form = {};
  DisentangledShape disentangled = {};
  bool positions = true;  // a table, added to the words
  int64_t layers = 0;
  int64_t decoder_layers = 0;
  bool patches = false;  // in place of words
  bool types = true;
  AttentionKind attention = AttentionKind::standard;
  bool mixing = false;  // whatever `attention` says
  bool controllers = false;
  bool narrow_embeddings = false;  // and a projection behind them
  bool relative_bias = false;
  OutputHead head = OutputHead::classifier;
  bool dense = false;  // OutputHead::vector
};

// In the order of random draws. Controllers come last, so that a model's other tensors are drawn
// alike with and without them.
std::vector<Module> modules_of(const NetworkParts& parts);
bool has_weight(Role role);
bool has_bias(Role role, const NetworkForm& form);
bool is_norm(Role role);

// In layers the name goes behind the layer's prefix.
struct ModuleName {
  Role role;
  std::string_view name;
};

// A key of config.json for one of the model's sizes.
struct SizeKey {
  std::string_view key;
  int64_t ModelShape::*size;
  int64_t least, most;
  int64_t fallback = -1;  // -1: the key must be there
};

// Another name of the same tensor in older files.
struct NameEnding {
  std::string_view now, before;
};

// Matrices that Hugging Face's files hold as one, in this order of rows; our checkpoints have them
// apart, because budgets take rows of each.
struct FusedModules {
  std::string_view name;
  std::span<const Role> roles;
};

struct ModelSchema {
  std::string_view model_type = {};  // config.json's
  std::string_view prefix = {};  // of the encoder's modules; files of the bare encoder have none
  std::span<const ModuleName> modules = {};
  std::span<const FusedModules> fused = {};
  std::string_view encoder_layer = {}, decoder_layer = {},
                   cross_layer = {};  // "{}": the layer's number

  std::span<const SizeKey> sizes = {};
  std::string_view activation_key = {};
  std::string_view dropout_key = {};  // the one that training here has
  std::string_view attention_dropout_key = {}, classifier_dropout_key = {};
  std::string_view layer_norm_eps_key = {};  // none: always 1e-12
  // What else in config.json says which network it is: read into the shape, which is refused by
  // name when we do not compute it, and written from it.
  void (*read_network)(const JsonFields& fields, ModelShape& shape) = nullptr;
  void (*write_network)(const ModelShape& shape, Json& json) = nullptr;

  std::string_view classifier_class = {}, encoder_class = {},
                   masked_lm_class = {};  // "architectures"
  std::span<const std::string_view> other_classes =
      {};  // imported as encoders, without their heads
  std::span<const std::string_view> unused_prefixes = {};  // of the tensors of those heads
  std::span<const std::string_view> unused_tensors = {};   // buffers that older versions saved
  std::span<const NameEnding> former_endings = {};

  std::string_view tokenizer_class = "BertTokenizer";       // tokenizer_config.json's
  ActivationKind pooler_activation = ActivationKind::tanh;  // behind the head's first matrix
  // ModelShape's, unless one of `sizes` is a key for it.
  int64_t padding_position = -1;
  // Special tokens around a text and a pair, in the notation of tokenizer.json's templates; ":1"
  // gives a piece token type 1.
  std::string_view single_template = "[CLS] $A [SEP]";
  std::string_view pair_template = "[CLS] $A [SEP] $B:1 [SEP]:1";

  // The one that holds this role in Hugging Face's files; null: it has a tensor of its own.
  const FusedModules* fused_with(Role role) const;

  // "BertForTokenClassification": Transformers names it after the classifier's class.
  std::string tagger_class() const;

  // Without ".weight" or ".bias". What most families call alike needs no name of theirs. A module
  // that the family has no name for throws std::logic_error.
  std::string name_of(const Module& module) const;
  std::string name_of(std::string_view name, const Module& module) const;  // in the same layer
};

// One tensor of a model file.
struct TensorSpec {
  std::string name;
  std::vector<int64_t> shape;  // linear weights are (out, in)
  Module module = {};
  bool bias = false;  // of the module; otherwise its weight
};

// Every tensor of a model of this shape and its family, in the order of modules_of().
std::vector<TensorSpec> tensor_specs(const ModelShape& shape,
                                     OutputHead head = OutputHead::classifier);

// Every tensor of a compact model, which holds only the units in `stored`. A layer without heads or
// neurons keeps its tensors, with no rows or no columns.
std::vector<TensorSpec> tensor_specs(const ModelShape& shape, OutputHead head,
                                     const Selection& stored);

}  // namespace headroom
