// Random matrix products in the form the kernels take them, for tests that compare two kernels.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "base/random.h"
#include "engine/kernels/kernels.h"

namespace headroom::testing {

inline std::vector<float> random_floats(Random& random, int64_t count, double scale = 1.0) {
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = static_cast<float>(scale * random.normal());
  return values;
}

inline void expect_near(const std::vector<float>& actual, const std::vector<float>& expected,
                        double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    // Beside a large number the last bits of a float are themselves larger than the tolerance.
    ASSERT_NEAR(actual[i], expected[i], tolerance + 2e-6 * std::abs(expected[i])) << "at " << i;
  }
}

// Both were rounded to bf16, maybe not to the same one.
inline void expect_near_rounded(const std::vector<float>& actual,
                                const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    ASSERT_NEAR(actual[i], expected[i], 1e-5 + std::abs(expected[i]) / 128) << "at " << i;
  }
}

// A random product: some panels, some ranges of k, rows with a gap between them.
struct Product {
  std::vector<float> a;
  std::vector<float> weights;
  std::vector<float> biases;
  std::vector<float> row_scales;
  std::vector<float> scales;
  std::vector<GemmSegment> segments;
  std::vector<GemmPanel> panels;
  GemmCall call;

  Product(Random& random, int64_t rows, int64_t panel_count, int64_t lanes) {
    const int64_t stride = lanes + 3;
    a = random_floats(random, rows * stride);
    weights = random_floats(random, panel_count * lanes * panel_width);
    biases = random_floats(random, panel_count * panel_width);
    row_scales = random_floats(random, rows);
    scales = random_floats(random, panel_count * panel_width, 1e-4);
    const int64_t split = lanes / 3;  // the rows between the two ranges stay unused
    segments = {{0, 0, split}, {split, split + 1, lanes - split - 1}};
    for (int64_t p = 0; p < panel_count; ++p) {
      GemmPanel& panel = panels.emplace_back();
      panel.weights = &weights[static_cast<size_t>(p * lanes * panel_width)];
      if (p % 3 != 2) panel.bias = &biases[static_cast<size_t>(p * panel_width)];
      panel.scales = &scales[static_cast<size_t>(p * panel_width)];
    }
    call.a = a.data();
    call.a_stride = stride;
    call.rows = rows;
    call.segments = segments.data();
    call.segment_count = static_cast<int64_t>(segments.size());
    call.panels = panels.data();
    call.panel_count = panel_count;
    call.row_scales = row_scales.data();
    call.a_scales = row_scales.data();
  }

  // What `gemm` makes of an output that starts as ones, as floats.
  std::vector<float> result(void (*gemm)(const GemmCall&)) {
    const int64_t stride = call.panel_count * panel_width + 5;
    std::vector<float> out(static_cast<size_t>(call.rows * stride), 1.0F);
    auto* bf16 = reinterpret_cast<uint16_t*>(out.data());
    for (size_t p = 0; p < panels.size(); ++p) {
      const auto column = static_cast<int64_t>(p) * panel_width;
      panels[p].out = call.out == GemmOut::f32 ? static_cast<void*>(out.data() + column)
                                               : static_cast<void*>(bf16 + column);
      panels[p].out_stride = stride;
    }
    gemm(call);
    if (call.out == GemmOut::f32) return out;
    std::vector<float> widened;
    for (int64_t i = 0; i < call.rows * stride; ++i) {
      uint32_t bits = static_cast<uint32_t>(bf16[i]) << 16U;
      float value = 0;
      std::memcpy(&value, &bits, sizeof value);
      widened.push_back(value);
    }
    return widened;
  }
};

// Rows, panels and lanes: rows around full micro-kernels and tiles, odd panels, K that ends inside
// a tile, and rows enough for every way of prefetching.
inline const std::vector<std::array<int64_t, 3>>& product_shapes() {
  static const std::vector<std::array<int64_t, 3>> shapes = {
      {1, 1, 4},   {1, 7, 33},  {2, 3, 16},  {3, 5, 17},  {6, 4, 20},  {7, 2, 31},
      {13, 3, 8},  {14, 6, 9},  {15, 1, 5},  {16, 2, 64}, {17, 3, 50}, {29, 5, 7},
      {33, 5, 97}, {43, 2, 40}, {70, 3, 48}, {99, 4, 40}, {230, 6, 33}};
  return shapes;
}

// Random bf16, or int8, operands.
inline void fill_with_bf16(Product& product, Random& random) {
  for (std::vector<float>* operand : {&product.a, &product.weights}) {
    const std::vector<float> values =
        random_floats(random, static_cast<int64_t>(operand->size()) * 2);
    kernels::reference_table().round_to_bf16(values.data(),
                                             reinterpret_cast<uint16_t*>(operand->data()),
                                             static_cast<int64_t>(values.size()));
  }
}

inline void fill_with_bytes(Product& product, Random& random) {
  for (std::vector<float>* operand : {&product.a, &product.weights}) {
    auto* bytes = reinterpret_cast<uint8_t*>(operand->data());
    for (size_t i = 0; i < operand->size() * 4; ++i) {
      bytes[i] = static_cast<uint8_t>(random.below(256));
    }
  }
}

// NaN in a row of A, or in its scale, must come out of every epilogue, in floats and in bf16. The
// operand's bits are all set: rounding would carry them away.
inline void expect_nan_kept(void (*gemm)(const GemmCall&), void (*fill)(Product&, Random&)) {
  Random random{26};
  for (const auto& [rows, panels, lanes] : product_shapes()) {
    for (const GemmEpilogue epilogue :
         {GemmEpilogue::none, GemmEpilogue::gelu, GemmEpilogue::scale_rows, GemmEpilogue::relu,
          GemmEpilogue::sigmoid}) {
      for (const auto& [out, start] : {std::pair{GemmOut::f32, GemmStart::bias},
                                       {GemmOut::f32, GemmStart::accumulate},
                                       {GemmOut::bf16, GemmStart::bias}}) {
        SCOPED_TRACE(::testing::Message()
                     << rows << " x " << lanes << " lanes, " << panels << " panels, epilogue "
                     << static_cast<int>(epilogue) << ", out " << static_cast<int>(out));
        Product product(random, rows, panels, lanes);
        fill(product, random);
        product.call.start = start;
        product.call.epilogue = epilogue;
        product.call.out = out;
        product.call.sigmoid_slope = 1.5957691F;
        product.call.sigmoid_cubic = 0.07135482F;
        const auto last = static_cast<size_t>(rows - 1);
        std::memset(&product.a[last * static_cast<size_t>(product.call.a_stride)], 0xff, 4);
        product.row_scales[last] = std::numeric_limits<float>::quiet_NaN();
        const std::vector<float> result = product.result(gemm);
        for (int64_t row = 0; row < rows; ++row) {
          for (int64_t column = 0; column < panels * panel_width; ++column) {
            const float x = result[static_cast<size_t>(row * (panels * panel_width + 5) + column)];
            ASSERT_EQ(std::isnan(x), row == rows - 1) << "row " << row << ", column " << column;
          }
        }
      }
    }
  }
}

}  // namespace headroom::testing
