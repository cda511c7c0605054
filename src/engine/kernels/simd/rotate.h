// Rotary positions, and products element by element: in floats, or in bf16 that become floats on
// the way.
#pragma once

#include <cstdint>

#include "engine/kernels/multiply.h"
#include "engine/kernels/rotate.h"
#include "engine/kernels/simd/registers.h"

namespace headroom::kernels::simd {
namespace {

template <class S, class Lanes>
typename S::Float load_as_float(const Lanes& lanes, const float* from) {
  return lanes.load(from);
}
template <class S, class Lanes>
typename S::Float load_as_float(const Lanes& lanes, const uint16_t* from) {
  return lanes.load_bf16(from);
}
template <class S, class Lanes>
void store_rounded(const Lanes& lanes, float* to, typename S::Float x) {
  lanes.store(to, x);
}
template <class S, class Lanes>
void store_rounded(const Lanes& lanes, uint16_t* to, typename S::Float x) {
  lanes.store_bf16(to, x);
}

template <class S, typename Number>
void rotate_rows(const RotateCall& call) {
  for (int64_t row = 0; row < call.rows; ++row) {
    Number* first = static_cast<Number*>(call.x) + row * call.stride;
    Number* second = first + call.half;
    const float* cosines = call.cosines + row * call.half;
    const float* sines = call.sines + row * call.half;
    for_each_register<S>(0, call.half, [&](int64_t i, auto lanes) {
      const auto a = load_as_float<S>(lanes, first + i);
      const auto b = load_as_float<S>(lanes, second + i);
      const auto c = lanes.load(cosines + i);
      const auto s = lanes.load(sines + i);
      store_rounded<S>(lanes, first + i, S::subtract(S::multiply(a, c), S::multiply(b, s)));
      store_rounded<S>(lanes, second + i, S::fma(b, c, S::multiply(a, s)));
    });
  }
}

template <class S>
void rotate(const RotateCall& call) {
  call.type == GemmOut::f32 ? rotate_rows<S, float>(call) : rotate_rows<S, uint16_t>(call);
}

template <class S, typename Number>
void multiply_rows(const MultiplyCall& call) {
  for (int64_t row = 0; row < call.rows; ++row) {
    Number* x = static_cast<Number*>(call.x) + row * call.stride;
    const Number* by = static_cast<const Number*>(call.by) + row * call.by_stride;
    for_each_register<S>(0, call.width, [&](int64_t i, auto lanes) {
      const auto product =
          S::multiply(load_as_float<S>(lanes, x + i), load_as_float<S>(lanes, by + i));
      store_rounded<S>(lanes, x + i, product);
    });
  }
}

template <class S>
void multiply(const MultiplyCall& call) {
  call.type == GemmOut::f32 ? multiply_rows<S, float>(call) : multiply_rows<S, uint16_t>(call);
}

}  // namespace
}  // namespace headroom::kernels::simd
