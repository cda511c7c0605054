// Positions that attention computes with, as plain numbers: the angles of rotary positions and the
// buckets of relative ones. Both engines and the ONNX writer read these.
#pragma once

#include <cstdint>
#include <vector>

#include "budget/shape.h"

namespace headroom {

// Rotary positions (2104.09864): elements i and i + half of a head turn by position / theta^(i /
// half).
struct RotaryTable {
  std::vector<float> cosines;  // positions x half
  std::vector<float> sines;
};

// In floats like Transformers, whose angles at position 8,000 are off by 1e-4.
RotaryTable rotary_table(double theta, int64_t positions, int64_t half);

// Rows of the table of relative positions by the distance of query and key: element T - 1 + d is
// for d = query - key, from -(T - 1) to T - 1. Ascending, and row(d) - span = -(row(-d) - span) but
// for the last row.
std::vector<int32_t> disentangled_rows(const DisentangledShape& shape, int64_t tokens);

}  // namespace headroom
