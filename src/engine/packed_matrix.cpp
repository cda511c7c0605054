#include "engine/packed_matrix.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "checkpoint/tensors/convert.h"

namespace headroom {
namespace {

std::vector<int64_t> identity_order(size_t count) {
  std::vector<int64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// Writes the elements of one column, in the precision of the matrix.
class Writer {
 public:
  Writer(Precision precision, std::span<const float> column) : precision_(precision) {
    if (precision != Precision::int8) return;
    float max = 0;
    for (const float value : column) max = std::max(max, std::abs(value));
    scale_ = max / 127.0F;
    inverse_scale_ = max > 0 ? 127.0F / max : 0.0F;
  }

  float scale() const { return scale_; }

  // The index-th element of a lane.
  void write(std::byte* lane, size_t index, float value) const {
    if (precision_ == Precision::fp32) {
      std::memcpy(lane, &value, sizeof value);
    } else if (precision_ == Precision::bf16) {
      const uint16_t rounded = f32_to_bf16(value);
      std::memcpy(lane + index * sizeof rounded, &rounded, sizeof rounded);
    } else {
      const auto rounded = static_cast<int8_t>(std::nearbyint(value * inverse_scale_));
      std::memcpy(lane + index, &rounded, sizeof rounded);
    }
  }

 private:
  Precision precision_;
  float scale_ = 0;
  float inverse_scale_ = 0;
};

}  // namespace

PackedMatrix::PackedMatrix(Precision precision, std::span<const float> weight,
                           std::span<const float> bias, const std::vector<int64_t>& column_order,
                           const std::vector<int64_t>& row_order, Arena& memory) {
  const int64_t lane_elements = elements_per_lane(precision);
  const auto columns = static_cast<int64_t>(column_order.size());
  const auto rows = static_cast<int64_t>(row_order.size());
  const auto source_rows = static_cast<int64_t>(weight.size() / bias.size());
  panels_ = round_up(columns, panel_width) / panel_width;
  lanes_ = round_up(rows, lane_elements) / lane_elements;
  weights_ = memory.take<std::byte>(panels_ * lanes_ * panel_width * 4);
  bias_ = memory.take<float>(panels_ * panel_width);
  if (precision == Precision::int8) {
    scales_ = memory.take<float>(panels_ * panel_width);
    compensation_ = memory.take<int32_t>(panels_ * panel_width);
  }
  for (int64_t n = 0; n < columns; ++n) {
    const int64_t column = column_order[static_cast<size_t>(n)];
    if (column < 0) continue;
    const size_t column_lane = static_cast<size_t>(n % panel_width);
    bias_[n] = bias[static_cast<size_t>(column)];
    std::byte* panel = weights_ + n / panel_width * lanes_ * panel_width * 4;
    const float* source = weight.data() + column * source_rows;
    const Writer writer(precision, {source, static_cast<size_t>(source_rows)});
    if (scales_ != nullptr) scales_[n] = writer.scale();
    for (int64_t k = 0; k < rows; ++k) {
      const int64_t row = row_order[static_cast<size_t>(k)];
      if (row < 0) continue;
      const auto row_lane = static_cast<size_t>(k / lane_elements);
      std::byte* lane = panel + (row_lane * panel_width + column_lane) * 4;
      writer.write(lane, static_cast<size_t>(k % lane_elements), source[row]);
    }
  }
  if (precision == Precision::int8) compute_compensation();
}

void PackedMatrix::compute_compensation() {
  for (int64_t p = 0; p < panels_; ++p) {
    const auto* bytes = static_cast<const int8_t*>(panel(p));
    for (int64_t i = 0; i < lanes_ * panel_width * 4; ++i) {
      compensation_[p * panel_width + i / 4 % panel_width] -= 128 * bytes[i];
    }
  }
}

PackedMatrix::PackedMatrix(Precision precision, std::span<const float> weight,
                           std::span<const float> bias, Arena& memory)
    : PackedMatrix(precision, weight, bias, identity_order(bias.size()),
                   identity_order(weight.size() / bias.size()), memory) {}

}  // namespace headroom
