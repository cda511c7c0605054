// The matrix product behind every linear layer and both products of attention:
//   out[r, n] = finish(start[r, n] + sum over k of a[r, k] * weights[k, n]).
// Weights lie in panels of 16 columns, packed once at load, and a call names the panels and the
// ranges of k it wants. A subset of heads or a prefix of the FFN is therefore a shorter list over
// the same memory.
//
// A unit is the 32 bits of one lane: one float, two bfloat16 or four bytes with successive k. One
// unit of `a` is broadcast against one row of a panel (16 units, 64 bytes) in every precision.
//
// Bytes: weights are signed, `a` is stored as value + 128, because that is what VNNI multiplies;
// sums are whole numbers and become a_scales[r] * scales[n] * sum before anything else is done.
//
// Every element is summed over k in ascending order in one accumulator, so its bits do not depend
// on how many rows or panels a call has: a text alone and in a batch get equal answers.
#pragma once

#include <cstdint>

namespace headroom {

inline constexpr int64_t panel_width = 16;

constexpr int64_t round_up(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

struct GemmPanel {
  const void* weights = nullptr;  // rows of 16 units
  const float* bias = nullptr;    // 16 values; null: zeros
  void* out = nullptr;            // column 0 of the panel in the first row of the result
  int64_t out_stride = 0;         // elements from a row of the result to the next
  const float* scales = nullptr;  // 16 values; bytes only
  // Bytes, if the segments are all of the panel's rows: minus 128 times the sum of each column,
  // what the 128 in every byte of `a` adds. Null: it is computed.
  const int32_t* start = nullptr;
};

// Units [a, a + length) of each row of `a` meet rows [b, b + length) of each panel.
struct GemmSegment {
  int64_t a = 0;
  int64_t b = 0;
  int64_t length = 0;
};

enum class GemmStart {
  bias,
  accumulate,  // what `out` (floats) holds, plus the bias
};

enum class GemmFinish {
  none,
  gelu,        // of bfloat16 and bytes to 1.5e-4
  scale_rows,  // row r times row_scales[r]
};

enum class GemmOut { f32, bf16 };

constexpr int64_t size_of(GemmOut type) {
  return type == GemmOut::f32 ? 4 : 2;
}

// Pointers and counts, not spans: the files that each instruction set is compiled in must not
// instantiate inline functions of the library, which the linker might then hand to all others.
struct GemmCall {
  const void* a = nullptr;
  int64_t a_stride = 0;  // units
  int64_t rows = 0;
  const GemmSegment* segments = nullptr;
  int64_t segment_count = 0;
  const GemmPanel* panels = nullptr;
  int64_t panel_count = 0;
  GemmStart start = GemmStart::bias;
  GemmFinish finish = GemmFinish::none;
  GemmOut out = GemmOut::f32;  // `accumulate` needs f32
  const float* row_scales = nullptr;
  const float* a_scales = nullptr;  // one per row; bytes only
};

// The plain versions.
void gemm_f32_reference(const GemmCall& call);
void gemm_bf16_reference(const GemmCall& call);
void gemm_int8_reference(const GemmCall& call);

}  // namespace headroom
