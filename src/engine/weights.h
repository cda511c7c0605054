// A checkpoint's weights, packed for the kernels. A head's query, key and value columns are one
// run of panels and its rows of the output projection one range, so that any set of heads and any
// first neurons of an FFN are used where they lie.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "budget/selection.h"
#include "budget/shape.h"
#include "checkpoint/config.h"
#include "engine/packed_matrix.h"
#include "engine/precision.h"

namespace headroom {

struct NormWeights {
  std::vector<float> weight;
  std::vector<float> bias;
};

// Chooses heads; always fp32.
struct PackedController {
  PackedMatrix hidden;
  PackedMatrix budget;
  PackedMatrix relevance;
};

struct PackedLayer {
  PackedMatrix inputs;  // per head: panels of queries (scaled by 1/sqrt(W)), and of keys and of
                        // values where the attention projects them
  PackedMatrix output;  // per head: padded_head_width() rows
  std::vector<float> mixing;  // positions^2, row by row, where the attention mixes values
  NormWeights attention_norm;
  PackedMatrix up;
  PackedMatrix down;
  NormWeights ffn_norm;
  std::optional<PackedController> controller;  // adaptive models
};

struct EngineWeights {
  // Of all packed matrices, side by side in large pages: a forward pass in fp32 takes 2 to 3 % less
  // than with a piece of the heap for each, more where something else has emptied the caches. What
  // is not written takes no memory. Embedding 128 words from here takes half the time: every word
  // is on another page, and a row of the heap does not begin with a cache line.
  Arena memory{8 * huge_page};
  ModelShape shape;
  Selection stored;  // what a compact model holds; otherwise everything
  Precision precision = Precision::fp32;
  float layer_norm_eps = 0;
  const float* words = nullptr;  // V x E; in `memory` like the two below
  const float* positions = nullptr;
  const float* types = nullptr;  // of a family without token types: one row of zeros
  NormWeights embedding_norm;
  // E x D, where E is not D; always fp32: it is small, and all that follows reads its result.
  std::optional<PackedMatrix> embedding_projection;
  // Where attention has a bias by relative position, of every head: what is added to the score of a
  // query and a key that lies so many tokens before it, from -(positions - 1) on.
  std::vector<float> relative_bias;
  std::vector<PackedLayer> layers;
  PackedMatrix pooler;
  ActivationKind pooler_activation = ActivationKind::tanh;
  PackedMatrix classifier;  // of [CLS], or of every token
  PackedMatrix dense;       // behind a pooled vector

  // A head's, at distance 0; null where there is none. Readable 16 tokens farther than there are.
  const float* relative_bias_of(int64_t head) const {
    if (relative_bias.empty()) return nullptr;
    return relative_bias.data() + head * relative_stride() + shape.positions - 1;
  }
  int64_t relative_stride() const { return 2 * shape.positions - 1 + panel_width; }

  // Head widths are padded to whole panels with zeros; 32 and 64, the usual ones, need none.
  int64_t padded_head_width() const { return round_up(shape.head_width(), panel_width); }
  int64_t head_panels() const { return padded_head_width() / panel_width; }
};

// Throws ErrorCode::bad_model when a tensor is missing or has another shape than `config` implies.
EngineWeights load_engine_weights(const std::filesystem::path& safetensors,
                                  const ModelConfig& config, Precision precision);

}  // namespace headroom
