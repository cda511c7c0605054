// How the engine packs elements of each precision.
#pragma once

#include <cstdint>

#include "base/precision.h"

namespace headroom {

// How many elements share one 32-bit lane of a product (kernels/gemm.h).
constexpr int64_t elements_per_lane(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return 1;
    case Precision::bf16:
      return 2;
    case Precision::int8:
      return 4;
  }
  return 1;
}

}  // namespace headroom
