// The most multiply-adds one core can do, measured in registers: what a product's speed is compared
// with.
#pragma once

#include "engine/kernels/isa.h"
#include "engine/precision.h"

namespace headroom {

// GFLOP/s (of int8: operations); 0 where `isa` has no instruction of its own for that precision.
double measured_peak(Isa isa, Precision precision);

}  // namespace headroom
