// Layer normalisation for any instruction set.
#pragma once

#include <cstdint>

#include "engine/kernels/lanes_simd.h"
#include "engine/kernels/layer_norm.h"

namespace headroom {
namespace {

// Rows from `first` on, side by side: a row's sum is one chain of additions, each of which waits
// four cycles for the one before. A row's bits do not depend on `rows`.
template <class S, int rows>
void normalise_rows(const LayerNormCall& shared, int64_t first) {
  using Float = typename S::Float;
  const LayerNormCall call = shared;  // no store into a row can change it: it stays in registers
  const float share = 1.0F / static_cast<float>(call.width);
  float* const x = call.x + first * call.stride;
  uint16_t* const copy = call.copy != nullptr ? call.copy + first * call.copy_stride : nullptr;
  Float sums[rows];
  Float means[rows];
  Float factors[rows];
  for (Float& sum : sums) sum = S::zero();
  for_each_register<S>(0, call.width, [&](int64_t i, auto lanes) {
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) sums[r] = S::add(sums[r], lanes.load(x + r * call.stride + i));
  });
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r) means[r] = S::spread(S::sum(sums[r]) * share);
  for (Float& sum : sums) sum = S::zero();
  for_each_register<S>(0, call.width, [&](int64_t i, auto lanes) {
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
      const Float distance = S::subtract(lanes.load(x + r * call.stride + i), means[r]);
      sums[r] = S::multiply_add(lanes.keep(distance), lanes.keep(distance), sums[r]);
    }
  });
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r) {
    factors[r] = S::spread(1.0F / __builtin_sqrtf(S::sum(sums[r]) * share + call.eps));
  }
  for_each_register<S>(0, call.width, [&](int64_t i, auto lanes) {
    const Float weight = lanes.load(call.weight + i);
    const Float bias = lanes.load(call.bias + i);
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
      float* const at = x + r * call.stride + i;
      const Float distance = S::multiply(S::subtract(lanes.load(at), means[r]), factors[r]);
      const Float y = S::multiply_add(distance, weight, bias);
      lanes.store(at, y);
      if (copy != nullptr) lanes.store_bf16(copy + r * call.copy_stride + i, y);
    }
  });
}

template <class S>
void layer_norm_simd(const LayerNormCall& call) {
  int64_t row = 0;
  for (; row + 4 <= call.rows; row += 4) normalise_rows<S, 4>(call, row);
  for (; row < call.rows; ++row) normalise_rows<S, 1>(call, row);
}

}  // namespace
}  // namespace headroom
