// Dynamic quantisation of rows.
#pragma once

#include <cstdint>

#include "engine/kernels/quantise.h"
#include "engine/kernels/simd/registers.h"

namespace headroom::kernels::simd {
namespace {

// from: rows x width floats, to: rows x padded bytes. Four registers at a time: four maxima that do
// not wait for each other, and one store of bytes.
template <class S>
void quantise(const QuantiseCall& shared) {
  using Float = typename S::Float;
  constexpr int64_t step = 4 * S::lanes;
  const QuantiseCall call = shared;  // a copy: no store can alias it
  const int64_t full = call.width / step * step;
  for (int64_t row = 0; row < call.rows; ++row) {
    const float* from = call.from + row * call.from_stride;
    uint8_t* to = call.to + row * call.to_stride;
    Float maxima[4] = {S::zero(), S::zero(), S::zero(), S::zero()};
    for (int64_t i = 0; i < full; i += step) {
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) {
        maxima[k] = S::max_magnitude(maxima[k], S::load(from + i + k * S::lanes));
      }
    }
    for_each_register<S>(full, call.width, [&](int64_t i, auto lanes) {
      maxima[0] = S::max_magnitude(maxima[0], lanes.load(from + i));
    });
    const float max = S::reduce_max_magnitude(S::max_magnitude(
        S::max_magnitude(maxima[0], maxima[1]), S::max_magnitude(maxima[2], maxima[3])));
    const Float factor = S::broadcast(max > 0 ? 127.0F / max : 0.0F);
    for (int64_t i = 0; i < full; i += step) {
      Float scaled[4];
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) {
        scaled[k] = S::multiply(S::load(from + i + k * S::lanes), factor);
      }
      S::store_bytes(to + i, scaled);
    }
    for_each_register<S>(full, call.width, [&](int64_t i, auto lanes) {
      lanes.store_bytes(to + i, S::multiply(lanes.load(from + i), factor));
    });
    for (int64_t i = call.width; i < call.padded; ++i) to[i] = 128;
    call.scales[row] = max / 127.0F;
  }
}

}  // namespace
}  // namespace headroom::kernels::simd
