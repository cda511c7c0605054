// bf16 and int8 products by BFMMLA and USMMLA: two rows of A by two columns of B, two lanes of k at
// once, which is twice the work of a dot product's instruction. Panels need no other layout: two of
// their rows, interleaved lane by lane, are such columns. Only for files compiled with their flags.
#pragma once

#include <cstdint>

#include "engine/kernels/neon/vector.h"
#include "engine/kernels/simd/gemm.h"

namespace headroom::kernels::neon_bf16 {
namespace {

using neon::Vector;

// What one instruction adds to the sums of 2 x 2 elements. They start at 0: bias and compensation
// are added where a row's sums are side by side.
struct Bf16Matrices : simd::FloatSums<Vector> {
  static constexpr bool late_start = true;
  static Sum zero() { return Vector::zero(); }
  static Sum add(int32x4_t a, int32x4_t b, Sum sum) {
    return vbfmmlaq_f32(sum, vreinterpretq_bf16_s32(a), vreinterpretq_bf16_s32(b));
  }
  static int64x2_t rows(Sum sum) { return vreinterpretq_s64_f32(sum); }
};

struct Int8Matrices : simd::IntegerSums<Vector> {
  static constexpr bool late_start = true;
  static Sum zero() { return Vector::zero_bits(); }
  static Sum add(int32x4_t a, int32x4_t b, Sum sum) {
    return vusmmlaq_s32(sum, vreinterpretq_u8_s32(a), vreinterpretq_s8_s32(b));
  }
  static int64x2_t rows(Sum sum) { return vreinterpretq_s64_s32(sum); }
};

// For the compensation of int8.
struct Int8Product : simd::PackedOperands<Vector>, simd::IntegerSums<Vector> {
  static int32x4_t add(int32x4_t a, int32x4_t b, int32x4_t sum) {
    return vusdotq_s32(sum, vreinterpretq_u8_s32(a), vreinterpretq_s8_s32(b));
  }
};

// Of rows: 3 x 8 sums, 3 registers of A and 4 of B are 31 of 32.
inline constexpr int max_pairs = 3;
inline constexpr int column_pairs = panel_width / 2;

// x: two lanes of each pair of rows, low and high: the panel rows of these lanes.
template <class P, int pairs>
[[gnu::always_inline]] inline void add_lanes(const int32x4_t (&x)[pairs], const uint32_t* low,
                                             const uint32_t* high,
                                             typename P::Sum (&sum)[pairs][column_pairs]) {
#pragma GCC unroll 4
  for (int j = 0; j < column_pairs; j += 2) {
    const int32x4_t first = Vector::load_bits(low + 2 * j);
    const int32x4_t second = Vector::load_bits(high + 2 * j);
    const int32x4_t left = vzip1q_s32(first, second);
    const int32x4_t right = vzip2q_s32(first, second);
#pragma GCC unroll 4
    for (int p = 0; p < pairs; ++p) {
      sum[p][j] = P::add(x[p], left, sum[p][j]);
      sum[p][j + 1] = P::add(x[p], right, sum[p][j + 1]);
    }
  }
}

// A: `rows` x K from row `row` on, 2 pairs of them or one less, B: K x 16, sums: rows x 16 dense.
template <class P, int pairs>
void multiply_block(const GemmCall& call, int64_t row, int64_t rows, const GemmPanel& panel,
                    float* sums) {
  static constexpr uint32_t zeros[panel_width] = {};
  typename P::Sum sum[pairs][column_pairs];
#pragma GCC unroll 4
  for (int p = 0; p < pairs; ++p) {
#pragma GCC unroll 8
    for (int j = 0; j < column_pairs; ++j) sum[p][j] = P::zero();
  }
  for (int64_t s = 0; s < call.segment_count; ++s) {
    const GemmSegment& segment = call.segments[s];
    const int32_t* a[2 * pairs];
    for (int i = 0; i < 2 * pairs; ++i) {
      const int64_t own = i < rows ? i : rows - 1;  // a row too many repeats the last
      a[i] = static_cast<const int32_t*>(call.a) + (row + own) * call.a_stride + segment.a;
    }
    const uint32_t* b = static_cast<const uint32_t*>(panel.weights) + segment.b * panel_width;
    int32x4_t x[pairs];
    int64_t k = 0;
    for (; k + 2 <= segment.length; k += 2) {
#pragma GCC unroll 4
      for (int p = 0; p < pairs; ++p) {
        x[p] = vcombine_s32(vld1_s32(a[2 * p] + k), vld1_s32(a[2 * p + 1] + k));
      }
      add_lanes<P, pairs>(x, b + k * panel_width, b + (k + 1) * panel_width, sum);
    }
    if (k == segment.length) continue;
    for (int p = 0; p < pairs; ++p) {
      const int32_t lanes[4] = {a[2 * p][k], 0, a[2 * p + 1][k], 0};
      x[p] = vld1q_s32(lanes);
    }
    add_lanes<P, pairs>(x, b + k * panel_width, zeros, sum);
  }
#pragma GCC unroll 4
  for (int p = 0; p < pairs; ++p) {
#pragma GCC unroll 8
    for (int j = 0; j < column_pairs; j += 2) {
      const int64x2_t left = P::rows(sum[p][j]);
      const int64x2_t right = P::rows(sum[p][j + 1]);
      float* to = sums + 2 * p * panel_width + 2 * j;
      Vector::store_bits(to, vreinterpretq_s32_s64(vzip1q_s64(left, right)));
      Vector::store_bits(to + panel_width, vreinterpretq_s32_s64(vzip2q_s64(left, right)));
    }
  }
}

// A: M x K row-major, B: K x N in panels of 16 columns, out: M x N row-major.
template <class P>
void gemm(const GemmCall& call) {
  alignas(64) float sums[2 * max_pairs * panel_width];
  alignas(64) uint32_t compensation[panel_width];
  const simd::WriteFunction write = simd::write_function<Vector, P, 1>(call);
  constexpr auto multiply = [](int64_t pairs) {
    return pairs == 1   ? multiply_block<P, 1>
           : pairs == 2 ? multiply_block<P, 2>
                        : multiply_block<P, max_pairs>;
  };
  for (const GemmPanel* panel = call.panels; panel != call.panels + call.panel_count; ++panel) {
    if constexpr (P::integer_sums) {
      simd::compute_compensation<Vector, Int8Product>(call, *panel, compensation);
    }
    for (int64_t row = 0; row < call.rows; row += 2 * max_pairs) {
      const int64_t left = call.rows - row;
      const int64_t rows = left < 2 * max_pairs ? left : 2 * max_pairs;
      multiply((rows + 1) / 2)(call, row, rows, *panel, sums);
      write(call, {row, rows, panel, 1, sums, panel_width, compensation});
    }
  }
}

}  // namespace
}  // namespace headroom::kernels::neon_bf16
