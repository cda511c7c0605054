#include "engine/packed_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/random.h"
#include "checkpoint/tensors/convert.h"
#include "engine/random_product.h"

namespace headroom {
namespace {

constexpr int64_t columns = 21;
constexpr int64_t rows = 13;

// Columns in reverse and one of padding, rows with a gap.
struct Orders {
  std::vector<int64_t> columns;
  std::vector<int64_t> rows;
};

Orders orders() {
  Orders made;
  for (int64_t n = columns - 1; n >= 0; --n) made.columns.push_back(n);
  made.columns.push_back(-1);
  for (int64_t k = 0; k < rows; ++k) {
    if (k == 5) made.rows.push_back(-1);
    made.rows.push_back(k);
  }
  return made;
}

// An element of a panel, as it is stored.
template <typename Element>
Element element_of(const PackedMatrix& matrix, int64_t column, int64_t k) {
  constexpr int64_t each = 4 / static_cast<int64_t>(sizeof(Element));
  const auto* panel = static_cast<const std::byte*>(matrix.panel(column / panel_width));
  Element element;
  std::memcpy(&element,
              panel + (k / each * panel_width + column % panel_width) * 4 +
                  k % each * static_cast<int64_t>(sizeof element),
              sizeof element);
  return element;
}

// `expected(weight, source column)` of every element; zeros where an order has a gap.
template <typename Element, typename Expected>
void expect_elements(const PackedMatrix& matrix, const std::vector<float>& weight,
                     const Expected& expected) {
  const Orders order = orders();
  for (size_t n = 0; n < order.columns.size(); ++n) {
    for (size_t k = 0; k < order.rows.size(); ++k) {
      const bool inside = order.columns[n] >= 0 && order.rows[k] >= 0;
      const auto at = static_cast<size_t>(order.columns[n] * rows + order.rows[k]);
      EXPECT_EQ(element_of<Element>(matrix, static_cast<int64_t>(n), static_cast<int64_t>(k)),
                inside ? expected(weight[at], order.columns[n]) : Element{})
          << "column " << n << ", row " << k;
    }
  }
}

class PackedMatrixOf : public ::testing::Test {
 protected:
  PackedMatrix packed(Precision precision) {
    return PackedMatrix(precision, weight_, bias_, orders().columns, orders().rows, memory_);
  }
  float largest(int64_t column) const {
    const auto first = weight_.begin() + column * rows;
    return std::abs(*std::max_element(first, first + rows,
                                      [](float a, float b) { return std::abs(a) < std::abs(b); }));
  }

  Random random_{1};
  std::vector<float> weight_ = testing::random_floats(random_, columns* rows);
  std::vector<float> bias_ = testing::random_floats(random_, columns);
  WeightMemory memory_;
};

TEST_F(PackedMatrixOf, FloatsHoldsThem) {
  expect_elements<float>(packed(Precision::fp32), weight_, [](float x, int64_t) { return x; });
}

TEST_F(PackedMatrixOf, Bf16RoundsToNearestAndTiesToEven) {
  const std::vector<float> ties = {1.00390625F, 1.01171875F, -1.00390625F, 0.0F, -0.0F, 1e-40F};
  std::copy(ties.begin(), ties.end(), weight_.begin());
  expect_elements<uint16_t>(packed(Precision::bf16), weight_,
                            [](float x, int64_t) { return f32_to_bf16(x); });
}

TEST_F(PackedMatrixOf, Int8HasAScaleAndACompensationForEveryColumn) {
  std::fill_n(weight_.begin(), rows, 0.0F);  // a column without any
  weight_[rows] = 127.0F;                    // one whose other elements are bytes, or ties
  weight_[rows + 1] = 2.5F;
  weight_[rows + 2] = -3.5F;
  const PackedMatrix matrix = packed(Precision::int8);
  expect_elements<int8_t>(matrix, weight_, [&](float x, int64_t column) {
    const float max = largest(column);
    return static_cast<int8_t>(std::nearbyint(x * (max > 0 ? 127.0F / max : 0.0F)));
  });
  const std::vector<int64_t> order = orders().columns;
  for (int64_t n = 0; n < columns; ++n) {
    const GemmSegment all = {0, 0, matrix.lanes()};
    const GemmPanel panel = matrix.gemm_panel(n / panel_width, {&all, 1}, nullptr, 0);
    int32_t sum = 0;
    for (int64_t k = 0; k < 4 * matrix.lanes(); ++k) sum += element_of<int8_t>(matrix, n, k);
    EXPECT_EQ(panel.compensation[n % panel_width], -128 * sum);
    EXPECT_EQ(panel.scales[n % panel_width], largest(order[static_cast<size_t>(n)]) / 127.0F);
    EXPECT_EQ(panel.bias[n % panel_width],
              bias_[static_cast<size_t>(order[static_cast<size_t>(n)])]);
  }
}

}  // namespace
}  // namespace headroom
