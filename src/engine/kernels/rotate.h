// Rotary positions: elements i and i + half of row t turn by the angle of position t, in place.
#pragma once

#include <cstdint>

#include "engine/kernels/gemm.h"

namespace headroom {

// x[i], x[i + half] = x[i] cos - x[i + half] sin, x[i + half] cos + x[i] sin
struct RotateCall {
  void* x = nullptr;  // rows x (2 half)
  GemmOut type = GemmOut::f32;
  int64_t stride = 0;
  int64_t rows = 0;
  int64_t half = 0;
  const float* cosines = nullptr;  // rows x half, dense
  const float* sines = nullptr;
};

}  // namespace headroom
