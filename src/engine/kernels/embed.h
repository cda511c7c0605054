// Embedding of T tokens of width D: out[t] = word_rows[ids[t]] + position_rows[t] +
// type_rows[types[t]].
#pragma once

#include <cstdint>

namespace headroom {

struct EmbedCall {
  const int32_t* ids = nullptr;
  const int32_t* types = nullptr;  // null: all 0
  int64_t tokens = 0;
  int64_t width = 0;
  const float* word_rows = nullptr;      // V x D, dense
  const float* position_rows = nullptr;  // positions x D
  int64_t position_stride = 0;           // D; 0: one row for all positions
  const float* type_rows = nullptr;      // types x D
  float* out = nullptr;                  // T x D
  int64_t out_stride = 0;
};

}  // namespace headroom
