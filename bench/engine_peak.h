// The most one core can do, measured: multiply-adds in registers and tiles, and bytes from caches.
// What the speed of kernels is compared with.
#pragma once

#include <cstdint>

#include "engine/kernels/isa.h"
#include "engine/precision.h"

namespace headroom {

// GFLOP/s (of int8: operations); 0 where `isa` has no instruction of its own for that precision.
double measured_peak(Isa isa, Precision precision);

// GB/s of reading a buffer of so many bytes over and over: from the cache that it fits.
double measured_read_rate(int64_t bytes);

}  // namespace headroom
