// A transformer with its output head as plain tensors: BERT's encoder for texts, the same over
// patches for images, the same with causal attention for language models, and with a decoder behind
// it for translation. Forward passes are functions over these
// structs; slicing, copying and moving a model are functions from weights to weights.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "budget/shape.h"
#include "checkpoint/output_config.h"
#include "families/schema.h"
#include "model/torch.h"

namespace headroom {

struct Linear {
  torch::Tensor weight;  // (out, in)
  torch::Tensor bias;    // (out)
};

struct Norm {
  torch::Tensor weight;  // (D)
  torch::Tensor bias;
};

// One layer's attention. A sliced layer has fewer heads: rows of query, key and value and columns
// of output are those of the kept heads, in ascending order. With no heads the layer has no
// attention at all: forward passes skip it, residual and norm included.
struct AttentionWeights {
  AttentionKind kind = AttentionKind::standard;
  Linear query;
  Linear key, value;  // undefined where `kind` has none
  // (longest input, longest input), where `kind` has one; of causal attention only the part on and
  // below the diagonal is read. An experiment may give one to other kinds too.
  torch::Tensor mixing;
  Linear output;
  DisentangledShape disentangled = {};
  Linear relative_key, relative_query;  // of relative positions, where they have their own
  double rotary_theta = 0;              // > 0: queries and keys turn by their positions
  int64_t window = 0;                   // > 0: a token sees those that are at most so far away
  int64_t heads = 0;                    // how many heads these tensors hold
  bool causal = false;                  // a token attends to itself and what came before
  // Where heads read their keys or values in the input: (heads * head width) column numbers.
  // Undefined: all columns, in order.
  torch::Tensor columns;
  // Where heads have a bias by relative position: their numbers in the whole model (undefined:
  // all), and for one forward pass what is added to their scores, (heads, T, T).
  bool relative = false;
  torch::Tensor numbers = {};
  torch::Tensor score_bias = {};

  bool heads_can_move() const { return headroom::heads_can_move(kind) && !relative; }
  int64_t head_width() const { return heads > 0 ? query.weight.size(0) / heads : 0; }
};

// What chooses the heads of a layer for each input (model/controller.h).
struct ControllerWeights {
  Linear hidden;     // D to its hidden width
  Linear budget;     // to one number: the logit of s
  Linear relevance;  // D to H
};

struct LayerWeights {
  AttentionWeights attention;
  std::optional<ControllerWeights> controller;
  Norm attention_norm;    // undefined: attention reads the embeddings, normalised already
  Linear up, gate, down;  // the FFN, `gate` undefined unless it is gated; with no neurons it is
                          // skipped as attention is
  ActivationKind activation = ActivationKind::gelu;
  Norm ffn_norm;
};

// A layer of a decoder: causal attention, attention over the encoder's output, FFN.
struct DecoderLayerWeights {
  LayerWeights block;  // the causal attention and the FFN
  AttentionWeights cross;
  Norm cross_norm;
};

// Predicts hidden tokens from the encoder's output; its matrix is the word table.
struct MaskedHead {
  Linear transform;
  Norm norm;
  torch::Tensor bias;  // (V)
};

struct ModelWeights {
  torch::Tensor words;        // (V, E), E the tables' width; images have the two below instead
  Linear patches;             // (D, numbers in a patch)
  torch::Tensor class_token;  // (1, D), in front of the patches
  torch::Tensor positions;    // (rows, E); undefined where attention knows positions
  torch::Tensor types;        // (2, E); undefined for images and language models
  Norm embedding_norm;
  Linear embedding_projection;  // (D, E), where E is not D
  torch::Tensor relative_bias;  // (buckets, H), where layers have a bias by relative position
  DisentangledShape disentangled = {};
  torch::Tensor relative;  // (rows, D): relative positions of disentangled attention
  Norm relative_norm;
  bool position_table = true;
  NetworkForm form = {};
  int64_t longest = 0;               // input, special tokens included
  std::string_view family = "bert";  // as in ModelShape
  bool patched = false;              // reads images: which of the tables above there are
  bool typed = true;
  bool narrow = false;            // has an embedding projection
  int64_t padding_position = -1;  // as in ModelShape
  std::vector<LayerWeights> layers;
  Norm final_norm;                           // where norms come first
  std::vector<DecoderLayerWeights> decoder;  // translation
  // What the encoder's output is for says which of these there are.
  OutputHead head = OutputHead::classifier;
  Linear pooler;
  Norm pooler_norm;  // of families that have one
  bool mean_pooling = false;
  Linear classifier;    // of every token where the head is a tagger
  bool densed = false;  // OutputHead::vector: whether a dense layer is behind the pooling
  Linear dense;
  VectorConfig vector;  // and how rows become a vector
  std::optional<MaskedHead> masked_head;
  torch::Tensor language_bias;  // (V), of OutputHead::language

  torch::Device device() const { return (positions.defined() ? positions : words).device(); }
};

// Calls `visit` for every tensor with its Hugging Face name, in the order of tensor_specs().
void for_each_tensor(ModelWeights& weights,
                     const std::function<void(const std::string&, torch::Tensor&)>& visit);

void for_each_attention(ModelWeights& weights, const std::function<void(AttentionWeights&)>& visit);

// Fresh weights; the result depends on `seed` alone. Matrices are Xavier-normal, because BERT's
// fixed 0.02 is five times too small at width 64 and leaves attention flat for thousands of steps.
// Tables are normal(0, 0.02), except that positions start as sinusoids, twice as large and with
// periods up to the longest input: attending to "the token before" is then a rotation to be found,
// not a table to be learned. Together they decide whether the synthetic task is learned at all
// (docs/training.md).
ModelWeights fresh_weights(const ModelShape& shape, uint64_t seed, torch::Device device,
                           OutputHead head = OutputHead::classifier);

// Structs of the right size with undefined tensors, to be filled through for_each_tensor().
ModelWeights hollow_weights(const ModelShape& shape, OutputHead head);

// A deep copy that shares nothing with the original and needs no gradients.
ModelWeights copy_weights(const ModelWeights& weights);
ModelWeights to_device(const ModelWeights& weights, torch::Device device);

}  // namespace headroom
