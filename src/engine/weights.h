// A checkpoint's weights, packed for the kernels. A head's query, key and value columns are one
// run of panels and its rows of the output projection one range, so that any set of heads and any
// first neurons of an FFN are used where they lie.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "budget/selection.h"
#include "budget/shape.h"
#include "checkpoint/config.h"
#include "engine/kernels/kernels.h"
#include "engine/packed_matrix.h"
#include "engine/precision.h"

namespace headroom {

struct NormWeights {
  std::span<const float> weight;
  std::span<const float> bias;
};

// Chooses heads; always fp32.
struct PackedController {
  PackedMatrix hidden;
  PackedMatrix budget;
  PackedMatrix relevance;
};

// Rotary positions of a layer, in EngineWeights::memory; null: none.
struct RotaryRows {
  const float* cosines = nullptr;  // positions x W / 2
  const float* sines = nullptr;
};

struct PackedLayer {
  PackedMatrix inputs;  // per head: panels of queries (scaled by 1/sqrt(W)), and of keys and of
                        // values where the attention projects them
  PackedMatrix output;  // per head: padded_head_width() rows
  std::span<const float> mixing;  // positions^2, row by row, where the attention mixes values
  // Disentangled attention: projected relative positions of each head, W x rows, in attention's
  // precision; of keys in descending order of distance, of queries scaled like the queries. Empty:
  // no such term.
  std::vector<PackedMatrix> relative_keys;
  std::vector<PackedMatrix> relative_queries;
  NormWeights attention_norm;  // empty: the layer reads the stream as it is
  RotaryRows rotary;
  int64_t window = 0;  // how far away a token may be that others see; 0: any distance
  PackedMatrix up;
  PackedMatrix gate;  // empty, unless the FFN is gated
  PackedMatrix down;
  NormWeights ffn_norm;
  std::optional<PackedController> controller;  // adaptive models
};

struct EngineWeights {
  // Of everything that pointers and spans lead to. Embedding 128 words from here takes half the
  // time: every word is on another page, and a row of the heap does not begin with a cache line.
  WeightMemory memory;
  ModelShape shape;
  Selection stored;  // what a compact model holds; otherwise everything
  Precision precision = Precision::fp32;
  float layer_norm_eps = 0;
  const float* words = nullptr;  // V x E; in `memory` like the two below
  const float* positions = nullptr;
  int64_t position_stride = 0;   // 0: a family without a table, one row of zeros
  const float* types = nullptr;  // of a family without token types: one row of zeros
  NormWeights embedding_norm;
  // Disentangled attention: disentangled_rows() of the longest input, and the distances below which
  // each has a row of its own.
  std::vector<int32_t> relative_rows;
  int64_t distinct_distances = 0;
  NormWeights final_norm;  // where norms come first
  // E x D, where E is not D; always fp32: it is small, and all that follows reads its result.
  std::optional<PackedMatrix> embedding_projection;
  // Where attention has a bias by relative position, of every head: what is added to the score of a
  // query and a key that lies so many tokens before it, from -(positions - 1) on.
  std::span<const float> relative_bias;
  std::vector<PackedLayer> layers;
  PackedMatrix pooler;
  ActivationKind pooler_activation = ActivationKind::tanh;
  PackedMatrix classifier;  // of [CLS], or of every token
  PackedMatrix dense;       // behind a pooled vector
  NormWeights pooler_norm;  // empty: none

  // A head's, at distance 0; null where there is none. Readable 16 tokens farther than there are.
  const float* relative_bias_of(int64_t head) const {
    if (relative_bias.empty()) return nullptr;
    return relative_bias.data() + head * relative_stride() + shape.positions - 1;
  }
  int64_t relative_stride() const { return 2 * shape.positions - 1 + panel_width; }

  // Head widths are padded to whole panels with zeros; 32 and 64, the usual ones, need none.
  int64_t padded_head_width() const { return round_up(shape.head_width(), panel_width); }
  // What queries are multiplied by.
  float score_scale() const;
  int64_t head_panels() const { return padded_head_width() / panel_width; }
};

// Throws ErrorCode::bad_model when a tensor is missing or has another shape than `config` implies.
// `kernels` are those that will run the model: what does not depend on texts is computed with them.
EngineWeights load_engine_weights(const std::filesystem::path& safetensors,
                                  const ModelConfig& config, Precision precision,
                                  const Kernels& kernels);

// The same from what was packed of them before (packed_cache.h): no weight is read or checked.
EngineWeights map_engine_weights(PackedFile file, const ModelConfig& config, Precision precision,
                                 const Kernels& kernels);

}  // namespace headroom
