// Softmax, transposing and functions of single numbers, for any instruction set.
#pragma once

#include <cstdint>

#include "engine/kernels/elementwise.h"
#include "engine/kernels/gemm.h"
#include "engine/kernels/math_simd.h"
#include "engine/kernels/softmax.h"

namespace headroom {
namespace {

template <class S, bool rounds>
void softmax_rows(const SoftmaxCall& call) {
  const int64_t length = call.length;
  const int64_t whole = length / S::lanes * S::lanes;
  const int64_t rest = length - whole;
  const auto exp_of_distance = [](typename S::Float x, typename S::Float shift) {
    if constexpr (rounds) {
      return coarse_exp_of<S>(S::subtract(x, shift));
    } else {
      return exp_of<S>(S::subtract(x, shift));
    }
  };
  for (int64_t row = 0; row < call.count; ++row) {
    float* x = call.rows + row * call.stride;
    uint16_t* rounded = rounds ? call.rounded + row * call.rounded_stride : nullptr;
    typename S::Float highest = S::spread(x[0]);
    for (int64_t i = 0; i < whole; i += S::lanes) highest = S::larger(highest, S::load(x + i));
    float largest = S::largest(highest);
    for (int64_t i = whole; i < length; ++i) largest = x[i] > largest ? x[i] : largest;
    const typename S::Float shift = S::spread(largest);
    typename S::Float sum = S::zero();
    for (int64_t i = 0; i < whole; i += S::lanes) {
      const typename S::Float e = exp_of_distance(S::load(x + i), shift);
      rounds ? S::store_bf16(rounded + i, e) : S::store(x + i, e);
      sum = S::add(sum, e);
    }
    if (rest > 0) {
      const typename S::Float e =
          S::keep_first(exp_of_distance(S::load_first(x + whole, rest), shift), rest);
      rounds ? S::store_bf16_first(rounded + whole, e, round_up(rest, 2))
             : S::store_first(x + whole, e, rest);
      sum = S::add(sum, e);
    }
    call.inverse_sums[row] = 1.0F / S::sum(sum);
  }
}

template <class S>
void softmax_simd(const SoftmaxCall& call) {
  call.rounded != nullptr ? softmax_rows<S, true>(call) : softmax_rows<S, false>(call);
}

template <class S, class Function>
void map_simd(float* x, int64_t count, Function function) {
  const int64_t whole = count / S::lanes * S::lanes;
  for (int64_t i = 0; i < whole; i += S::lanes) S::store(x + i, function(S::load(x + i)));
  const int64_t rest = count - whole;
  if (rest > 0) S::store_first(x + whole, function(S::load_first(x + whole, rest)), rest);
}

template <class S>
void exp_simd(float* x, int64_t count) {
  map_simd<S>(x, count, [](typename S::Float v) { return exp_of<S>(v); });
}

template <class S>
void erf_simd(float* x, int64_t count) {
  map_simd<S>(x, count, [](typename S::Float v) { return erf_of<S>(v); });
}

template <class S>
void gelu_simd(float* x, int64_t count) {
  map_simd<S>(x, count, [](typename S::Float v) { return gelu_of<S>(v); });
}

template <class S>
void tanh_simd(float* x, int64_t count) {
  map_simd<S>(x, count, [](typename S::Float v) { return tanh_of<S>(v); });
}

template <class S>
void round_to_bf16_simd(const float* from, uint16_t* to, int64_t count) {
  const int64_t whole = count / S::lanes * S::lanes;
  for (int64_t i = 0; i < whole; i += S::lanes) S::store_bf16(to + i, S::load(from + i));
  const int64_t rest = count - whole;
  if (rest > 0) S::store_bf16_first(to + whole, S::load_first(from + whole, rest), rest);
}

template <class S>
void transpose_simd(const float* in, int64_t stride, int64_t rows, int64_t columns, float* out) {
  const int64_t whole_rows = rows / panel_width * panel_width;
  const int64_t whole_columns = columns / panel_width * panel_width;
  for (int64_t row = 0; row < rows; row += panel_width) {
    float* panel = out + row * columns;
    int64_t column = 0;
    if (row < whole_rows) {
      for (; column < whole_columns; column += panel_width) {
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
}  // namespace headroom
