// The matrix product behind every linear layer and both products of attention:
//   out[m, n] = epilogue(start[m, n] + sum over k of A[m, k] * B[k, n])
//   A: M x K row-major, B: K x N in panels of 16 columns, out: M x N row-major.
// B is packed once at load (engine/packed_matrix.h). A call lists the panels and the ranges of k it
// wants, so a subset of heads or a prefix of the FFN is a shorter list over the same memory.
//
// A lane is 32 bits: one float, two bf16 or four int8 with consecutive k. K is counted in lanes: in
// every precision one lane of A is broadcast against one row of a panel, 16 lanes, a cache line.
//
// int8: B is signed, A is stored as value + 128, because VNNI and AMX multiply unsigned by signed
// bytes; int32 accumulators become a_scales[m] * scales[n] * sum before the epilogue.
//
// Every element is accumulated over ascending k in one accumulator, so its bits do not depend on M
// or on the number of panels: a text alone and in a batch gets the same answer.
#pragma once

#include <cstdint>

namespace headroom {

// Columns of B in a panel: a row of 16 lanes is one cache line, one AVX-512 register and one row of
// an AMX tile, two registers of AVX2, four of NEON.
inline constexpr int64_t panel_width = 16;

constexpr int64_t round_up(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

struct GemmPanel {
  const void* weights = nullptr;  // K x 16 lanes
  const float* bias = nullptr;    // 16 values; null: zeros
  void* out = nullptr;            // column 0 of the panel in row 0 of the result
  int64_t out_stride = 0;         // elements from a row of the result to the next
  const float* scales = nullptr;  // 16 values; int8 only
  // int8: -128 times the sum of each column, which cancels the 128 in every byte of A. Only if the
  // segments cover all rows of the panel; null: computed in the call.
  const int32_t* compensation = nullptr;
};

// Lanes [a, a + length) of each row of A meet rows [b, b + length) of each panel.
struct GemmSegment {
  int64_t a = 0;
  int64_t b = 0;
  int64_t length = 0;
};

enum class GemmStart {
  bias,
  accumulate,  // what `out` (floats) holds, plus the bias
};

enum class GemmEpilogue {
  none,
  gelu,        // exact to 1.5e-4 in bf16 and int8
  scale_rows,  // row m times row_scales[m]
  relu,
  sigmoid,  // x * sigmoid(x (slope + cubic x^2)): SiLU, and two approximations of GELU
};

enum class GemmOut { f32, bf16 };

constexpr int64_t size_of(GemmOut type) {
  return type == GemmOut::f32 ? 4 : 2;
}

// Pointers and counts, not spans: files compiled for one instruction set must not instantiate
// inline functions of the library, which the linker might then use for all CPUs.
struct GemmCall {
  const void* a = nullptr;
  int64_t a_stride = 0;  // lanes
  int64_t rows = 0;      // M
  const GemmSegment* segments = nullptr;
  int64_t segment_count = 0;
  const GemmPanel* panels = nullptr;
  int64_t panel_count = 0;  // N / 16
  GemmStart start = GemmStart::bias;
  GemmEpilogue epilogue = GemmEpilogue::none;
  GemmOut out = GemmOut::f32;  // `accumulate` needs f32
  const float* row_scales = nullptr;
  float sigmoid_slope = 0;
  float sigmoid_cubic = 0;
  const float* a_scales = nullptr;  // one per row; int8 only
};

}  // namespace headroom
