// Rows of floats as bytes, for any instruction set.
#pragma once

#include <cstdint>

#include "engine/kernels/elementwise.h"
#include "engine/kernels/lanes_simd.h"

namespace headroom {
namespace {

// Four registers at a time: four maxima that do not wait for each other, and one store of bytes.
template <class S>
void quantise_simd(const QuantiseCall& shared) {
  using Float = typename S::Float;
  constexpr int64_t step = 4 * S::lanes;
  const QuantiseCall call = shared;  // no store of bytes can change it: it stays in registers
  const int64_t whole = call.width / step * step;
  for (int64_t row = 0; row < call.rows; ++row) {
    const float* from = call.from + row * call.from_stride;
    uint8_t* to = call.to + row * call.to_stride;
    Float highest[4] = {S::zero(), S::zero(), S::zero(), S::zero()};
    for (int64_t i = 0; i < whole; i += step) {
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) {
        highest[k] = S::larger_magnitude(highest[k], S::load(from + i + k * S::lanes));
      }
    }
    for_each_register<S>(whole, call.width, [&](int64_t i, auto lanes) {
      highest[0] = S::larger_magnitude(highest[0], lanes.load(from + i));
    });
    const float largest =
        S::largest(S::larger(S::larger(highest[0], highest[1]), S::larger(highest[2], highest[3])));
    const Float factor = S::spread(largest > 0 ? 127.0F / largest : 0.0F);
    for (int64_t i = 0; i < whole; i += step) {
      Float scaled[4];
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) {
        scaled[k] = S::multiply(S::load(from + i + k * S::lanes), factor);
      }
      S::store_bytes(to + i, scaled);
    }
    for_each_register<S>(whole, call.width, [&](int64_t i, auto lanes) {
      lanes.store_bytes(to + i, S::multiply(lanes.load(from + i), factor));
    });
    for (int64_t i = call.width; i < call.padded; ++i) to[i] = 128;
    call.scales[row] = largest / 127.0F;
  }
}

}  // namespace
}  // namespace headroom
