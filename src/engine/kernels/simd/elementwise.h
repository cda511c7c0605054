// Functions of single elements, conversion to bf16, and transposing.
#pragma once

#include <cstdint>

#include "engine/kernels/gemm.h"
#include "engine/kernels/simd/math.h"

namespace headroom::kernels::simd {
namespace {

// x: count, in place.
template <class S, auto function>
void map(float* x, int64_t count) {
  const int64_t full = count / S::lanes * S::lanes;
  for (int64_t i = 0; i < full; i += S::lanes) S::store(x + i, function(S::load(x + i)));
  const int64_t rest = count - full;
  if (rest > 0) S::store_first(x + full, function(S::load_first(x + full, rest)), rest);
}

template <class S>
void round_to_bf16(const float* from, uint16_t* to, int64_t count) {
  const int64_t full = count / S::lanes * S::lanes;
  for (int64_t i = 0; i < full; i += S::lanes) S::store_bf16(to + i, S::load(from + i));
  const int64_t rest = count - full;
  if (rest > 0) S::store_bf16_first(to + full, S::load_first(from + full, rest), rest);
}

// in: rows x columns, out: panels of 16 rows, columns x 16 each.
template <class S>
void transpose(const float* in, int64_t stride, int64_t rows, int64_t columns, float* out) {
  const int64_t full_rows = rows / panel_width * panel_width;
  const int64_t full_columns = columns / panel_width * panel_width;
  for (int64_t row = 0; row < rows; row += panel_width) {
    float* panel = out + row * columns;
    int64_t column = 0;
    if (row < full_rows) {
      for (; column < full_columns; column += panel_width) {
        S::transpose(in + row * stride + column, stride, panel + column * panel_width);
      }
    }
    for (; column < columns; ++column) {
      for (int64_t i = 0; i < panel_width; ++i) {
        panel[column * panel_width + i] = row + i < rows ? in[(row + i) * stride + column] : 0.0F;
      }
    }
  }
}

}  // namespace
}  // namespace headroom::kernels::simd
