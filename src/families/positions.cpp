#include "families/positions.h"

#include <algorithm>
#include <cmath>

namespace headroom {
namespace {

// Distances below half of the buckets have one each, larger ones share them, ever more to a bucket.
// In floats like Transformers.
int64_t bucket_of(int64_t distance, const DisentangledShape& shape) {
  const int64_t middle = shape.buckets / 2;
  const int64_t magnitude = std::abs(distance);
  if (shape.buckets == 0 || magnitude <= middle) return distance;
  const auto share = std::log(static_cast<float>(magnitude) / static_cast<float>(middle)) /
                     std::log(static_cast<float>(shape.farthest - 1) / static_cast<float>(middle));
  const auto bucket =
      static_cast<int64_t>(std::ceil(share * static_cast<float>(middle - 1))) + middle;
  return distance < 0 ? -bucket : bucket;
}

}  // namespace

RotaryTable rotary_table(double theta, int64_t positions, int64_t half) {
  std::vector<float> frequencies;
  for (int64_t i = 0; i < half; ++i) {
    const float exponent = static_cast<float>(2 * i) / static_cast<float>(2 * half);
    frequencies.push_back(1.0F / std::pow(static_cast<float>(theta), exponent));
  }
  RotaryTable table;
  for (int64_t position = 0; position < positions; ++position) {
    for (const float frequency : frequencies) {
      const float angle = static_cast<float>(position) * frequency;
      table.cosines.push_back(std::cos(angle));
      table.sines.push_back(std::sin(angle));
    }
  }
  return table;
}

std::vector<int32_t> disentangled_rows(const DisentangledShape& shape, int64_t tokens) {
  std::vector<int32_t> rows;
  for (int64_t distance = 1 - tokens; distance < tokens; ++distance) {
    const int64_t row = bucket_of(distance, shape) + shape.span();
    rows.push_back(static_cast<int32_t>(std::clamp<int64_t>(row, 0, shape.rows() - 1)));
  }
  return rows;
}

}  // namespace headroom
