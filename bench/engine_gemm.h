// How fast the engine's matrix product is on the shapes of a model, beside oneDNN's where it is
// found.
#pragma once

#include <cstdint>
#include <vector>

#include "base/table.h"
#include "engine/kernels/kernels.h"

namespace headroom {

struct GemmShape {
  int64_t rows = 0;
  int64_t in = 0;
  int64_t out = 0;
};

// GFLOP/s on one thread: medians of interleaved rounds, and shares of the measured peak.
Table measure_products(const Kernels& kernels, const std::vector<GemmShape>& shapes, int rounds);

}  // namespace headroom
