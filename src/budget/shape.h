// The sizes of a model, as the budget sees them. Letters used across the code base:
//   B batch, T tokens, D width, H heads, L layers, F FFN width, V vocabulary.
#pragma once

#include <cstdint>

#include "budget/attention_kind.h"

namespace headroom {

struct ModelShape {
  int64_t layers = 4;       // L
  int64_t width = 256;      // D
  int64_t heads = 8;        // H, per layer
  int64_t ffn = 1024;       // F
  int64_t vocabulary = 0;   // V
  int64_t positions = 512;  // longest input, special tokens included
  int64_t token_types = 2;  // first or second text of a pair
  int64_t labels = 2;
  AttentionKind attention = AttentionKind::standard;
  int64_t controller =
      0;  // hidden width of each layer's controller (budget/head_choice.h); 0: none

  int64_t head_width() const { return width / heads; }
  int64_t total_heads() const { return layers * heads; }
  bool operator==(const ModelShape&) const = default;
};

}  // namespace headroom
