// Functions of single numbers, and what moves numbers about: exp, erf, GELU, tanh, rounding,
// transposing.
#pragma once

#include <cstdint>

namespace headroom {

// In place. exp is exact to 1e-6 for x in [-87, 88] and 0 below; erf to 1e-6 everywhere.
void exp_reference(float* x, int64_t count);
void erf_reference(float* x, int64_t count);

// x * P(N(0,1) <= x), the exact form, as BERT has it.
void gelu_reference(float* x, int64_t count);

// Exact to 1e-6.
void tanh_reference(float* x, int64_t count);

// To bfloat16, to nearest, ties to even. Numbers must be finite.
void round_to_bf16_reference(const float* from, uint16_t* to, int64_t count);

// What an int8 product reads of rows of floats. A row's scale is its largest magnitude / 127; each
// number becomes round(x / scale) + 128. Bytes from `width` to `padded` stand for 0.
struct QuantiseCall {
  const float* from = nullptr;
  int64_t from_stride = 0;
  int64_t rows = 0;
  int64_t width = 0;
  int64_t padded = 0;
  uint8_t* to = nullptr;
  int64_t to_stride = 0;
  float* scales = nullptr;
};
void quantise_reference(const QuantiseCall& call);

// Rows of `in` become columns of panels: out[(row / 16) * columns * 16 + column * 16 + row % 16].
// Lanes of the last panel without a row are 0.
void transpose_reference(const float* in, int64_t stride, int64_t rows, int64_t columns,
                         float* out);

}  // namespace headroom
