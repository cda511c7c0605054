// Softmax of rows.
#pragma once

#include <cstdint>

#include "engine/kernels/gemm.h"
#include "engine/kernels/simd/math.h"
#include "engine/kernels/softmax.h"

namespace headroom::kernels::simd {
namespace {

// x: rows x length, in place or to bf16.
template <class S, bool to_bf16>
void softmax_rows(const SoftmaxCall& call) {
  const int64_t length = call.length;
  const int64_t full = length / S::lanes * S::lanes;
  const int64_t rest = length - full;
  const auto shifted_exp = [](typename S::Float x, typename S::Float shift) {
    if constexpr (to_bf16) {
      return approx_exp<S>(S::subtract(x, shift));
    } else {
      return exp<S>(S::subtract(x, shift));
    }
  };
  for (int64_t row = 0; row < call.rows; ++row) {
    float* x = call.x + row * call.stride;
    uint16_t* bf16 = to_bf16 ? call.bf16 + row * call.bf16_stride : nullptr;
    typename S::Float maxima = S::broadcast(x[0]);
    for (int64_t i = 0; i < full; i += S::lanes) maxima = S::max(maxima, S::load(x + i));
    float max = S::reduce_max(maxima);
    for (int64_t i = full; i < length; ++i) max = x[i] > max ? x[i] : max;
    const typename S::Float shift = S::broadcast(max);
    typename S::Float sum = S::zero();
    for (int64_t i = 0; i < full; i += S::lanes) {
      const typename S::Float e = shifted_exp(S::load(x + i), shift);
      to_bf16 ? S::store_bf16(bf16 + i, e) : S::store(x + i, e);
      sum = S::add(sum, e);
    }
    if (rest > 0) {
      const typename S::Float e =
          S::keep_first(shifted_exp(S::load_first(x + full, rest), shift), rest);
      to_bf16 ? S::store_bf16_first(bf16 + full, e, round_up(rest, 2))
              : S::store_first(x + full, e, rest);
      sum = S::add(sum, e);
    }
    call.inverse_sums[row] = 1.0F / S::reduce_add(sum);
  }
}

template <class S>
void softmax(const SoftmaxCall& call) {
  call.bf16 != nullptr ? softmax_rows<S, true>(call) : softmax_rows<S, false>(call);
}

}  // namespace
}  // namespace headroom::kernels::simd
