// Element by element: what a gated FFN does with its two halves.
#pragma once

#include <cstdint>

#include "engine/kernels/gemm.h"

namespace headroom {

// x[m, n] *= by[m, n]
struct MultiplyCall {
  void* x = nullptr;  // rows x width
  int64_t stride = 0;
  const void* by = nullptr;
  int64_t by_stride = 0;
  int64_t rows = 0;
  int64_t width = 0;
  GemmOut type = GemmOut::f32;  // of both
};

}  // namespace headroom
