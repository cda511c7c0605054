#include "engine/packed_matrix.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "checkpoint/tensors/convert.h"

namespace headroom {
namespace {

std::vector<int64_t> as_they_come(size_t count) {
  std::vector<int64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// One number of a column into its place in a unit.
class Writer {
 public:
  Writer(Precision precision, std::span<const float> column) : precision_(precision) {
    if (precision != Precision::int8) return;
    float largest = 0;
    for (const float value : column) largest = std::max(largest, std::abs(value));
    scale_ = largest / 127.0F;
    factor_ = largest > 0 ? 127.0F / largest : 0.0F;
  }

  float scale() const { return scale_; }

  void write(std::byte* unit, size_t part, float value) const {
    if (precision_ == Precision::fp32) {
      std::memcpy(unit, &value, sizeof value);
    } else if (precision_ == Precision::bf16) {
      const uint16_t rounded = f32_to_bf16(value);
      std::memcpy(unit + part * sizeof rounded, &rounded, sizeof rounded);
    } else {
      const auto rounded = static_cast<int8_t>(std::nearbyint(value * factor_));
      std::memcpy(unit + part, &rounded, sizeof rounded);
    }
  }

 private:
  Precision precision_;
  float scale_ = 0;
  float factor_ = 0;
};

}  // namespace

PackedMatrix::PackedMatrix(Precision precision, std::span<const float> weight,
                           std::span<const float> bias, const std::vector<int64_t>& column_order,
                           const std::vector<int64_t>& row_order, Arena& memory) {
  const int64_t each = numbers_per_unit(precision);
  const auto columns = static_cast<int64_t>(column_order.size());
  const auto rows = static_cast<int64_t>(row_order.size());
  const auto source_rows = static_cast<int64_t>(weight.size() / bias.size());
  panels_ = round_up(columns, panel_width) / panel_width;
  units_ = round_up(rows, each) / each;
  weights_ = memory.take<std::byte>(panels_ * units_ * panel_width * 4);
  bias_ = memory.take<float>(panels_ * panel_width);
  if (precision == Precision::int8) {
    scales_ = memory.take<float>(panels_ * panel_width);
    starts_ = memory.take<int32_t>(panels_ * panel_width);
  }
  for (int64_t n = 0; n < columns; ++n) {
    const int64_t column = column_order[static_cast<size_t>(n)];
    if (column < 0) continue;
    const size_t lane = static_cast<size_t>(n % panel_width);
    bias_[n] = bias[static_cast<size_t>(column)];
    std::byte* panel = weights_ + n / panel_width * units_ * panel_width * 4;
    const float* source = weight.data() + column * source_rows;
    const Writer writer(precision, {source, static_cast<size_t>(source_rows)});
    if (scales_ != nullptr) scales_[n] = writer.scale();
    for (int64_t k = 0; k < rows; ++k) {
      const int64_t row = row_order[static_cast<size_t>(k)];
      if (row < 0) continue;
      std::byte* unit = panel + (static_cast<size_t>(k / each) * panel_width + lane) * 4;
      writer.write(unit, static_cast<size_t>(k % each), source[row]);
    }
  }
  if (precision == Precision::int8) sum_columns();
}

void PackedMatrix::sum_columns() {
  for (int64_t p = 0; p < panels_; ++p) {
    const auto* bytes = static_cast<const int8_t*>(panel(p));
    for (int64_t i = 0; i < units_ * panel_width * 4; ++i) {
      starts_[p * panel_width + i / 4 % panel_width] -= 128 * bytes[i];
    }
  }
}

PackedMatrix::PackedMatrix(Precision precision, std::span<const float> weight,
                           std::span<const float> bias, Arena& memory)
    : PackedMatrix(precision, weight, bias, as_they_come(bias.size()),
                   as_they_come(weight.size() / bias.size()), memory) {}

}  // namespace headroom
