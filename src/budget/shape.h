// The sizes of a model, as the budget sees them. Letters used across the code base:
//   B batch, T tokens, D width, H heads, L layers, F FFN width, V vocabulary.
#pragma once

#include <cstdint>
#include <string_view>

#include "budget/activation_kind.h"
#include "budget/attention_kind.h"

namespace headroom {

// What reads the last layer's rows.
enum class Readout {
  pooled,  // pooler and classifier, of one row
  tokens,  // a classifier of every row
  vector,  // the rows pooled to a vector
};

// Attention of which some layers see a window of tokens only, and which rotates queries and keys by
// their positions.
struct RotaryShape {
  double theta = 0;          // of layers that see all tokens; 0: no rotation
  double local_theta = 0;    // of the others
  int64_t window = 0;        // how far away a token may be that those see; 0: no such layers
  int64_t global_every = 1;  // the layers 0, this, twice this, ... see all tokens

  bool is_local(int64_t layer) const { return window > 0 && layer % global_every != 0; }
  double theta_of(int64_t layer) const { return is_local(layer) ? local_theta : theta; }
  int64_t window_of(int64_t layer) const { return is_local(layer) ? window : 0; }
  bool operator==(const RotaryShape&) const = default;
};

// Disentangled attention (2006.03654): what is between a token's content and another's relative
// position is added to scores. One table of relative positions, which every layer projects.
struct DisentangledShape {
  int64_t farthest = 0;  // distance that is told from larger ones; 0: no such attention
  int64_t buckets = 0;   // rows for each direction, logarithmic from half of them on; 0: a row each
  bool content_to_position = false;
  bool position_to_content = false;
  bool shared_projections = false;  // by the layer's query and key matrices, not by two of its own
  bool norm = false;                // of the table
  bool position_table = false;      // positions are added to the words as well

  int64_t span() const { return buckets > 0 ? buckets : farthest; }
  int64_t rows() const { return 2 * span(); }
  // Scores are divided by the square root of so many head widths.
  int64_t terms() const { return 1 + int64_t{content_to_position} + int64_t{position_to_content}; }
  bool operator==(const DisentangledShape&) const = default;
};

// Where a block (attention, FFN) is normalised: its sum with the residual, or its input. The first
// layer of `pre` reads the embeddings, which have a norm already.
enum class NormOrder { post, pre };

// Where the networks of a family differ from BERT's in what their blocks are made of.
struct NetworkForm {
  NormOrder norms = NormOrder::post;
  bool gated_ffn = false;    // a neuron's activation is multiplied by a second one
  bool pooler_norm = false;  // behind the classifier's first matrix
  bool biases = true;        // of anything but the classifier

  bool operator==(const NetworkForm&) const = default;
};

struct ModelShape {
  int64_t layers = 4;       // L
  int64_t width = 256;      // D
  int64_t heads = 8;        // H, per layer
  int64_t ffn = 1024;       // F
  int64_t vocabulary = 0;   // V
  int64_t positions = 512;  // longest input, special tokens included
  int64_t token_types = 2;  // first or second text of a pair; source or target
  int64_t labels = 2;
  Readout readout = Readout::pooled;
  int64_t dense = 0;  // width of the layer behind a pooled vector; 0: none
  AttentionKind attention = AttentionKind::standard;
  bool causal = false;         // language models: a token sees itself and what came before
  int64_t patch_values = 0;    // images: numbers in a patch; 0: the input is tokens
  int64_t decoder_layers = 0;  // translation: layers that also read the encoder's output
  int64_t controller = 0;  // hidden width of a layer's controller (budget/head_choice.h); 0: none
  std::string_view family = "bert";  // a model_type of src/families, which owns the text
  ActivationKind activation = ActivationKind::gelu;  // of the FFN
  int64_t embedding = 0;  // width of the tables where it is not D; a matrix leads from there to D
  // RoBERTa: tokens with this id take the row of the same number in the position table, all others
  // count on from the row behind it. -1: positions begin at row 0, whatever the token.
  int64_t padding_position = -1;
  int64_t relative_buckets = 0;  // of a bias by relative position (families/relative_positions.h)

  NetworkForm form = {};
  RotaryShape rotary = {};  // none: a table of positions
  DisentangledShape disentangled = {};
  bool mean_pooling = false;  // the classifier reads the mean of all tokens, not the first

  bool has_position_table() const {
    return rotary.theta == 0 && (disentangled.farthest == 0 || disentangled.position_table);
  }
  int64_t head_width() const { return width / heads; }
  int64_t embedding_width() const { return embedding > 0 ? embedding : width; }
  int64_t position_rows() const { return positions + padding_position + 1; }
  // Whether a layer's heads may change places: not where the layers share what is a head's own.
  bool heads_can_move() const {
    return headroom::heads_can_move(attention) && relative_buckets == 0;
  }
  int64_t total_heads() const { return layers * heads; }
  int64_t vector_width() const { return dense > 0 ? dense : width; }
  // Predicts tokens of its own vocabulary instead of labels.
  bool generates() const { return causal || decoder_layers > 0; }
  bool operator==(const ModelShape&) const = default;
};

}  // namespace headroom
