// Layer normalisation of rows.
#pragma once

#include <cstdint>

#include "engine/kernels/layer_norm.h"
#include "engine/kernels/simd/registers.h"

namespace headroom::kernels::simd {
namespace {

// x: rows x width, from row `first` on. Rows are interleaved: a row's sum is one chain of
// additions, each of which waits four cycles for the one before; 4 rows fill the wait and hold 12
// registers. A row's bits do not depend on `rows`.
template <class S, int rows>
void normalise_rows(const LayerNormCall& shared, int64_t first) {
  using Float = typename S::Float;
  const LayerNormCall call = shared;  // a copy: no store can alias it, so it stays in registers
  const float reciprocal = 1.0F / static_cast<float>(call.width);
  float* const x = call.x + first * call.stride;
  const float* const in = call.in != nullptr ? call.in + first * call.stride : x;
  uint16_t* const bf16 = call.bf16 != nullptr ? call.bf16 + first * call.bf16_stride : nullptr;
  Float sums[rows];
  Float means[rows];
  Float inverse_std[rows];
  for (Float& sum : sums) sum = S::zero();
  for_each_register<S>(0, call.width, [&](int64_t i, auto lanes) {
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) sums[r] = S::add(sums[r], lanes.load(in + r * call.stride + i));
  });
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r) means[r] = S::broadcast(S::reduce_add(sums[r]) * reciprocal);
  for (Float& sum : sums) sum = S::zero();
  for_each_register<S>(0, call.width, [&](int64_t i, auto lanes) {
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
      const Float deviation = S::subtract(lanes.load(in + r * call.stride + i), means[r]);
      sums[r] = S::fma(lanes.keep(deviation), lanes.keep(deviation), sums[r]);
    }
  });
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r) {
    inverse_std[r] =
        S::broadcast(1.0F / __builtin_sqrtf(S::reduce_add(sums[r]) * reciprocal + call.eps));
  }
  for_each_register<S>(0, call.width, [&](int64_t i, auto lanes) {
    const Float weight = lanes.load(call.weight + i);
    const Float bias = lanes.load(call.bias + i);
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
      const Float element = lanes.load(in + r * call.stride + i);
      const Float deviation = S::multiply(S::subtract(element, means[r]), inverse_std[r]);
      const Float y = S::fma(deviation, weight, bias);
      lanes.store(x + r * call.stride + i, y);
      if (bf16 != nullptr) lanes.store_bf16(bf16 + r * call.bf16_stride + i, y);
    }
  });
}

template <class S>
void layer_norm(const LayerNormCall& call) {
  int64_t row = 0;
  for (; row + 4 <= call.rows; row += 4) normalise_rows<S, 4>(call, row);
  for (; row < call.rows; ++row) normalise_rows<S, 1>(call, row);
}

}  // namespace
}  // namespace headroom::kernels::simd
