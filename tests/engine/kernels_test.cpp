// Every kernel of every instruction set that this CPU has, against its reference in plain C++, on
// random elements and awkward shapes; then what a comparison does not show.
#include "engine/kernels/kernels.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <ostream>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random.h"
#include "engine/random_head.h"
#include "engine/random_product.h"

namespace headroom {
namespace {

using testing::expect_nan_kept;
using testing::expect_near;
using testing::expect_near_rounded;
using testing::fill_with_bf16;
using testing::fill_with_bytes;
using testing::head_counts;
using testing::head_lengths;
using testing::Heads;
using testing::Product;
using testing::product_shapes;
using testing::random_floats;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

bool is_nan_bf16(uint16_t bits) {
  return (bits & 0x7fffU) > 0x7f80U;
}

// By epilogue; results of scale_rows are up to four times as large.
struct Tolerances {
  double none;
  double gelu;
  double scale_rows;
  double sigmoid;
};

// All starts, epilogues and types of results, on shapes around full blocks and tiles.
void compare_gemm(void (*fast)(const GemmCall&), void (*reference)(const GemmCall&),
                  void (*fill)(Product&, Random&), Tolerances tolerances) {
  expect_nan_kept(fast, fill);
  Random random{1};
  for (const auto& [rows, panels, lanes] : product_shapes()) {
    SCOPED_TRACE(::testing::Message()
                 << rows << " x " << lanes << " lanes, " << panels << " panels");
    for (const GemmStart start : {GemmStart::bias, GemmStart::accumulate}) {
      for (const auto& [epilogue, tolerance] : {std::pair{GemmEpilogue::none, tolerances.none},
                                                {GemmEpilogue::gelu, tolerances.gelu},
                                                {GemmEpilogue::scale_rows, tolerances.scale_rows},
                                                {GemmEpilogue::relu, tolerances.none},
                                                {GemmEpilogue::sigmoid, tolerances.sigmoid}}) {
        Product product(random, rows, panels, lanes);
        fill(product, random);
        product.call.start = start;
        product.call.epilogue = epilogue;
        product.call.sigmoid_slope = 1.5957691F;
        product.call.sigmoid_cubic = 0.07135482F;
        expect_near(product.result(fast), product.result(reference), tolerance);
      }
    }
    Product product(random, rows, panels, lanes);
    fill(product, random);
    product.call.out = GemmOut::bf16;
    expect_near_rounded(product.result(fast), product.result(reference));
  }
}

void compare_gemm_f32(const Kernels& fast, const Kernels& reference) {
  compare_gemm(fast.gemm_f32, reference.gemm_f32, [](Product&, Random&) {},
               {2e-5, 2e-5, 2e-5, 2e-5});
}

void compare_gemm_bf16(const Kernels& fast, const Kernels& reference) {
  compare_gemm(fast.gemm_bf16, reference.gemm_bf16, fill_with_bf16, {5e-5, 2e-4, 5e-5, 3e-4});
}

void compare_gemm_int8(const Kernels& fast, const Kernels& reference) {
  compare_gemm(fast.gemm_int8, reference.gemm_int8, fill_with_bytes, {1e-5, 2e-4, 4e-5, 3e-4});
}

void compare_embed(const Kernels& fast, const Kernels& reference) {
  Random random{20};
  const std::vector<int32_t> ids = {3, 0, 3, 1};
  const std::vector<int32_t> types = {0, 1, 1, 0};
  for (const int64_t width : {1, 8, 16, 21, 64, 271}) {
    const std::vector<float> words = random_floats(random, 4 * width);
    const std::vector<float> positions = random_floats(random, 4 * width);
    const std::vector<float> kinds = random_floats(random, 2 * width);
    for (const auto& [given, stride] :
         {std::pair(types.data(), width), std::pair<const int32_t*, int64_t>(nullptr, 0)}) {
      std::vector<float> expected(static_cast<size_t>(4 * (width + 3)), 7.0F);
      std::vector<float> actual = expected;
      EmbedCall call{
          ids.data(),   given,           4,        width, words.data(), positions.data(), stride,
          kinds.data(), expected.data(), width + 3};
      reference.embed(call);
      call.out = actual.data();
      fast.embed(call);
      EXPECT_EQ(actual, expected) << width;
    }
  }
}

void compare_softmax(const Kernels& fast, const Kernels& reference) {
  Random random{5};
  for (const int64_t length : {1, 2, 7, 8, 15, 16, 17, 31, 64, 129}) {
    const int64_t stride = length + 3;
    std::vector<float> expected = random_floats(random, 5 * stride, 4.0);
    std::vector<float> actual = expected;
    std::vector<float> expected_sums(5);
    std::vector<float> sums(5);
    reference.softmax({expected.data(), stride, 5, length, expected_sums.data()});
    fast.softmax({actual.data(), stride, 5, length, sums.data()});
    expect_near(actual, expected, 1e-6);
    expect_near(sums, expected_sums, 1e-6);
    for (const int64_t bad : {int64_t{0}, length - 1}) {
      std::vector<uint16_t> bf16(static_cast<size_t>(stride));
      for (uint16_t* rounded : {static_cast<uint16_t*>(nullptr), bf16.data()}) {
        std::vector<float> row = random_floats(random, stride);
        row[static_cast<size_t>(bad)] = nan;
        fast.softmax({row.data(), stride, 1, length, sums.data(), rounded, stride});
        EXPECT_TRUE(std::isnan(sums[0])) << bad << " of " << length;
      }
    }
  }
}

// Every length, with a bias and without. The exponents of queries are changed by `shift`: the
// larger they are, the fewer keys a query looks at.
void compare_heads(decltype(Kernels::attend_heads) fast, const Kernels& reference, int shift,
                   double tolerance) {
  Random random{16};
  const auto compare = [&](Heads& heads) {
    for (uint16_t& element : heads.queries) {
      element = static_cast<uint16_t>(element + shift * (1 << 7));
    }
    expect_near(heads.result<float>(GemmOut::f32, fast),
                heads.result<float>(GemmOut::f32, reference.attend_heads), tolerance);
    heads.add_bias(random);
    expect_near(heads.result<float>(GemmOut::f32, fast),
                heads.result<float>(GemmOut::f32, reference.attend_heads), tolerance);
  };
  for (const int64_t tokens : head_lengths) {
    for (const int64_t width : {32, 64}) {
      for (const int64_t count : head_counts) {
        Heads heads(random, count, tokens, tokens, width);
        compare(heads);
      }
    }
  }
  Heads fewer_queries(random, 2, 21, 300, 96);
  compare(fewer_queries);
}

void compare_attend_heads(const Kernels& fast, const Kernels& reference) {
  expect_nan_kept(fast.attend_heads);
  compare_heads(fast.attend_heads, reference, 0, 1.0 / 128);
  compare_heads(fast.attend_heads, reference, 2, 1.0 / 128);
}

// Divided by 8, queries have scores as large as those of models.
void compare_attend_heads_int8(const Kernels& fast, const Kernels& reference) {
  expect_nan_kept(fast.attend_heads_int8);
  compare_heads(fast.attend_heads_int8, reference, -3, 1.0 / 64);
}

void compare_attend_query(const Kernels& fast, const Kernels& reference) {
  expect_nan_kept(fast.attend_query, 1);
  Random random{17};
  for (const int64_t tokens : head_lengths) {
    for (const int64_t width : {32, 96}) {
      Heads heads(random, 3, 1, tokens, width);
      const auto expected = heads.result<float>(GemmOut::f32, reference.attend_heads);
      const auto actual = heads.result<float>(GemmOut::f32, fast.attend_query);
      expect_near(actual, expected, 3e-4);
      const auto rounded = heads.result<uint16_t>(GemmOut::bf16, fast.attend_query);
      for (size_t i = 0; i < rounded.size(); ++i) {
        const float value = std::bit_cast<float>(static_cast<uint32_t>(rounded[i]) << 16U);
        ASSERT_NEAR(value, actual[i], std::abs(actual[i]) / 256 + 1e-30) << "at " << i;
      }
      heads.add_bias(random);
      expect_near(heads.result<float>(GemmOut::f32, fast.attend_query),
                  heads.result<float>(GemmOut::f32, reference.attend_heads), 3e-4);
    }
  }
}

void compare_layer_norm(const Kernels& fast, const Kernels& reference) {
  Random random{6};
  for (const int64_t width : {1, 3, 8, 16, 24, 33, 256, 271}) {
    const int64_t stride = width + 2;
    std::vector<float> expected = random_floats(random, 5 * stride, 3.0);
    std::vector<float> actual = expected;
    const std::vector<float> weight = random_floats(random, width);
    const std::vector<float> bias = random_floats(random, width);
    std::vector<uint16_t> expected_copy(static_cast<size_t>(5 * stride));
    std::vector<uint16_t> copy = expected_copy;
    LayerNormCall call{expected.data(),      stride, 5, width, weight.data(), bias.data(), 1e-12F,
                       expected_copy.data(), stride};
    if (width > 1) {  // one element has no variance: the result is rounding noise
      reference.layer_norm(call);
      call.x = actual.data();
      call.bf16 = copy.data();
      fast.layer_norm(call);
      expect_near(actual, expected, 1e-5);
      std::vector<uint16_t> rounded(static_cast<size_t>(5 * stride));
      for (int64_t row = 0; row < 5; ++row) {
        reference.round_to_bf16(&actual[static_cast<size_t>(row * stride)],
                                &rounded[static_cast<size_t>(row * stride)], width);
      }
      EXPECT_EQ(copy, rounded);
      const std::vector<float> in = random_floats(random, 5 * stride, 3.0);
      const std::vector<float> kept = in;
      call.in = in.data();
      fast.layer_norm(call);
      call.x = expected.data();
      reference.layer_norm(call);
      expect_near(actual, expected, 1e-5);
      EXPECT_EQ(in, kept);
      call.x = actual.data();
      call.in = nullptr;
      actual[static_cast<size_t>(2 * stride - 3)] = nan;  // the last of the second row
      fast.layer_norm(call);
      for (int64_t row = 0; row < 5; ++row) {
        for (int64_t i = row * stride; i < row * stride + width; ++i) {
          EXPECT_EQ(std::isnan(actual[static_cast<size_t>(i)]), row == 1) << width;
          EXPECT_EQ(is_nan_bf16(copy[static_cast<size_t>(i)]), row == 1) << width;
        }
      }
    }
  }
}

// Floats as bf16, and back.
std::vector<uint16_t> rounded_to_bf16(const Kernels& reference, const std::vector<float>& x) {
  std::vector<uint16_t> bf16(x.size());
  reference.round_to_bf16(x.data(), bf16.data(), static_cast<int64_t>(x.size()));
  return bf16;
}

void expect_near_bf16(const std::vector<uint16_t>& actual, const std::vector<uint16_t>& expected) {
  for (size_t i = 0; i < actual.size(); ++i) {  // rounded sums may fall on either side of a tie
    ASSERT_LE(std::abs(static_cast<int>(actual[i]) - static_cast<int>(expected[i])), 1) << i;
  }
}

void compare_rotate(const Kernels& fast, const Kernels& reference) {
  Random random{23};
  for (const int64_t half : {1, 4, 8, 13, 16, 32, 40}) {
    const int64_t stride = 2 * half + 3;
    const std::vector<float> cosines = random_floats(random, 5 * half);
    const std::vector<float> sines = random_floats(random, 5 * half);
    std::vector<float> expected = random_floats(random, 5 * stride);
    std::vector<uint16_t> expected_bf16 = rounded_to_bf16(reference, expected);
    std::vector<float> actual = expected;
    std::vector<uint16_t> actual_bf16 = expected_bf16;
    RotateCall call{expected.data(), GemmOut::f32, stride, 5, half, cosines.data(), sines.data()};
    reference.rotate(call);
    call.x = actual.data();
    fast.rotate(call);
    expect_near(actual, expected, 1e-6);
    call.type = GemmOut::bf16;
    call.x = expected_bf16.data();
    reference.rotate(call);
    call.x = actual_bf16.data();
    fast.rotate(call);
    expect_near_bf16(actual_bf16, expected_bf16);
    const auto last = static_cast<size_t>(half - 1);
    actual_bf16[last] = 0x7fff;
    fast.rotate(call);
    actual[last] = nan;
    call.x = actual.data();
    call.type = GemmOut::f32;
    fast.rotate(call);
    for (const size_t i : {last, last + static_cast<size_t>(half)}) {
      EXPECT_TRUE(std::isnan(actual[i]) && is_nan_bf16(actual_bf16[i])) << i << " of " << half;
    }
  }
}

void compare_multiply(const Kernels& fast, const Kernels& reference) {
  Random random{24};
  for (const int64_t width : {1, 7, 16, 33, 100}) {
    const int64_t stride = width + 2;
    const std::vector<float> by = random_floats(random, 3 * (stride + 1));
    std::vector<float> expected = random_floats(random, 3 * stride);
    std::vector<uint16_t> expected_bf16 = rounded_to_bf16(reference, expected);
    const std::vector<uint16_t> by_bf16 = rounded_to_bf16(reference, by);
    std::vector<float> actual = expected;
    std::vector<uint16_t> actual_bf16 = expected_bf16;
    reference.multiply({expected.data(), stride, by.data(), stride + 1, 3, width, GemmOut::f32});
    fast.multiply({actual.data(), stride, by.data(), stride + 1, 3, width, GemmOut::f32});
    EXPECT_EQ(actual, expected);
    reference.multiply(
        {expected_bf16.data(), stride, by_bf16.data(), stride + 1, 3, width, GemmOut::bf16});
    fast.multiply(
        {actual_bf16.data(), stride, by_bf16.data(), stride + 1, 3, width, GemmOut::bf16});
    EXPECT_EQ(actual_bf16, expected_bf16);
    const auto last = static_cast<size_t>(width - 1);
    actual[last] = nan;
    fast.multiply({actual.data(), stride, by.data(), stride + 1, 3, width, GemmOut::f32});
    EXPECT_TRUE(std::isnan(actual[last])) << width;
    for (const uint16_t bad : {0x7fc0, 0x7fff, 0xffff}) {
      std::vector<uint16_t> bad_by = by_bf16;
      bad_by[last] = bad;
      actual_bf16 = expected_bf16;
      fast.multiply(
          {actual_bf16.data(), stride, bad_by.data(), stride + 1, 3, width, GemmOut::bf16});
      EXPECT_TRUE(is_nan_bf16(actual_bf16[last])) << bad << " of " << width;
    }
  }
}

void expect_nan_kept(decltype(Kernels::exp) function) {
  std::vector<float> x(19, std::numeric_limits<float>::quiet_NaN());
  function(x.data(), static_cast<int64_t>(x.size()));
  for (const float y : x) EXPECT_TRUE(std::isnan(y));
}

// Functions of one element: against std::, in doubles.
void compare_exp(const Kernels& fast, const Kernels&) {
  expect_nan_kept(fast.exp);
  std::vector<float> x;
  for (double value = -87; value <= 88; value += 0.0037) x.push_back(static_cast<float>(value));
  std::vector<float> y = x;
  fast.exp(y.data(), static_cast<int64_t>(y.size()));
  for (size_t i = 0; i < x.size(); ++i) {
    const double exact = std::exp(static_cast<double>(x[i]));
    ASSERT_NEAR(y[i] / exact, 1.0, 1e-6) << "exp(" << x[i] << ")";
  }
  std::vector<float> tiny = {-87.5F, -1000.0F, -3e38F};
  fast.exp(tiny.data(), 3);
  EXPECT_EQ(tiny, std::vector<float>(3, 0.0F));
}

void compare_erf(const Kernels& fast, const Kernels&) {
  expect_nan_kept(fast.erf);
  std::vector<float> x = {1e-30F, -1e-10F, 100.0F, -3e38F};
  for (double value = -6; value <= 6; value += 0.00037) x.push_back(static_cast<float>(value));
  std::vector<float> y = x;
  fast.erf(y.data(), static_cast<int64_t>(y.size()));
  for (size_t i = 0; i < x.size(); ++i) {
    const double exact = std::erf(static_cast<double>(x[i]));
    ASSERT_NEAR(y[i] / exact, 1.0, 1e-6) << "erf(" << x[i] << ")";
  }
}

void compare_gelu(const Kernels& fast, const Kernels& reference) {
  expect_nan_kept(fast.gelu);
  Random random{7};
  for (const int64_t count : {1, 5, 16, 19, 1000}) {
    std::vector<float> expected = random_floats(random, count, 3.0);
    std::vector<float> actual = expected;
    reference.gelu(expected.data(), count);
    fast.gelu(actual.data(), count);
    expect_near(actual, expected, 1e-6);
  }
}

void compare_tanh(const Kernels& fast, const Kernels&) {
  expect_nan_kept(fast.tanh);
  std::vector<float> x = {0.0F, 1e-30F, -1e-10F, 100.0F, -3e38F};
  for (double value = -12; value <= 12; value += 0.00073) x.push_back(static_cast<float>(value));
  std::vector<float> y = x;
  fast.tanh(y.data(), static_cast<int64_t>(y.size()));
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_NEAR(y[i], std::tanh(static_cast<double>(x[i])), 1e-6) << "tanh(" << x[i] << ")";
  }
}

void compare_round_to_bf16(const Kernels& fast, const Kernels& reference) {
  Random random{8};
  for (const int64_t count : {1, 7, 16, 33}) {
    const std::vector<float> from = random_floats(random, count, 100.0);
    std::vector<uint16_t> expected(static_cast<size_t>(count));
    std::vector<uint16_t> actual(static_cast<size_t>(count));
    reference.round_to_bf16(from.data(), expected.data(), count);
    fast.round_to_bf16(from.data(), actual.data(), count);
    EXPECT_EQ(actual, expected);
    for (const uint32_t bits : {0x7fc00000U, 0xffc00000U, 0x7fffffffU, 0xffffffffU, 0x7f800001U}) {
      const std::vector<float> bad(static_cast<size_t>(count), std::bit_cast<float>(bits));
      fast.round_to_bf16(bad.data(), actual.data(), count);
      for (const uint16_t rounded : actual) EXPECT_TRUE(is_nan_bf16(rounded)) << bits;
    }
  }
}

void compare_quantise(const Kernels& fast, const Kernels& reference) {
  Random random{11};
  for (const int64_t width : {1, 4, 7, 16, 21, 64, 87, 256, 271}) {
    std::vector<float> from = random_floats(random, 3 * (width + 1), 2.0);
    std::fill(from.begin() + width + 1, from.begin() + 2 * (width + 1), 0.0F);
    std::vector<uint8_t> expected(static_cast<size_t>(3 * (width + 9)), 7);
    std::vector<uint8_t> actual = expected;
    std::vector<float> expected_scales(3);
    std::vector<float> scales(3);
    QuantiseCall call{from.data(), width + 1,       3,         width,
                      width + 3,   expected.data(), width + 9, expected_scales.data()};
    reference.quantise(call);
    call.to = actual.data();
    call.scales = scales.data();
    fast.quantise(call);
    EXPECT_EQ(actual, expected) << width;
    EXPECT_EQ(scales, expected_scales);
    EXPECT_EQ(scales[1], 0.0F) << "a row of zeros";
    from[static_cast<size_t>(width - 1)] = std::numeric_limits<float>::quiet_NaN();
    fast.quantise(call);
    EXPECT_TRUE(std::isnan(scales[0]));
    EXPECT_EQ(actual[static_cast<size_t>(width + 9)], 128);
  }
}

void compare_transpose(const Kernels& fast, const Kernels& reference) {
  Random random{9};
  for (const int64_t rows : {1, 5, 16, 30, 64}) {
    for (const int64_t columns : {1, 8, 16, 21, 48}) {
      const std::vector<float> in = random_floats(random, rows * (columns + 1));
      std::vector<float> expected(static_cast<size_t>(round_up(rows, panel_width) * columns));
      std::vector<float> actual(expected.size(), 7.0F);
      reference.transpose(in.data(), columns + 1, rows, columns, expected.data());
      fast.transpose(in.data(), columns + 1, rows, columns, actual.data());
      EXPECT_EQ(actual, expected) << rows << " x " << columns;
    }
  }
}

// A kernel of the table, and how it is compared with the reference.
struct Comparison {
  const char* kernel;
  bool (*exists)(const Kernels&);
  void (*remove)(Kernels&);
  void (*compare)(const Kernels& fast, const Kernels& reference);

  friend void PrintTo(const Comparison& comparison, std::ostream* out) {
    *out << comparison.kernel;
  }
};

template <auto kernel>
constexpr Comparison comparison(const char* name,
                                void (*compare)(const Kernels& fast, const Kernels& reference)) {
  return {name, [](const Kernels& kernels) { return kernels.*kernel != nullptr; },
          [](Kernels& kernels) { kernels.*kernel = nullptr; }, compare};
}

constexpr Comparison comparisons[] = {
    comparison<&Kernels::gemm_f32>("gemm_f32", compare_gemm_f32),
    comparison<&Kernels::gemm_bf16>("gemm_bf16", compare_gemm_bf16),
    comparison<&Kernels::gemm_int8>("gemm_int8", compare_gemm_int8),
    comparison<&Kernels::embed>("embed", compare_embed),
    comparison<&Kernels::softmax>("softmax", compare_softmax),
    comparison<&Kernels::layer_norm>("layer_norm", compare_layer_norm),
    comparison<&Kernels::quantise>("quantise", compare_quantise),
    comparison<&Kernels::rotate>("rotate", compare_rotate),
    comparison<&Kernels::multiply>("multiply", compare_multiply),
    comparison<&Kernels::exp>("exp", compare_exp),
    comparison<&Kernels::erf>("erf", compare_erf),
    comparison<&Kernels::gelu>("gelu", compare_gelu),
    comparison<&Kernels::tanh>("tanh", compare_tanh),
    comparison<&Kernels::round_to_bf16>("round_to_bf16", compare_round_to_bf16),
    comparison<&Kernels::transpose>("transpose", compare_transpose),
    comparison<&Kernels::attend_heads>("attend_heads", compare_attend_heads),
    comparison<&Kernels::attend_heads_int8>("attend_heads_int8", compare_attend_heads_int8),
    comparison<&Kernels::attend_query>("attend_query", compare_attend_query),
};

class EveryKernel : public ::testing::TestWithParam<std::tuple<Isa, Comparison>> {};

INSTANTIATE_TEST_SUITE_P(Isa, EveryKernel,
                         ::testing::Combine(::testing::ValuesIn(usable_isas()),
                                            ::testing::ValuesIn(comparisons)),
                         [](const auto& tested) {
                           return fmt::format("{}_{}", isa_name(std::get<Isa>(tested.param)),
                                              std::get<Comparison>(tested.param).kernel);
                         });

TEST_P(EveryKernel, EqualsItsReference) {
  const auto& [isa, comparison] = GetParam();
  const Kernels& fast = kernels_for(isa);
  if (!comparison.exists(fast)) GTEST_SKIP() << "optional: made of other kernels";
  comparison.compare(fast, kernels::reference_table());
}

// A kernel that is added to the table needs a line above.
TEST(KernelTable, HasAComparisonForEveryKernel) {
  Kernels rest = kernels::reference_table();
  for (const Comparison& comparison : comparisons) {
    EXPECT_TRUE(comparison.exists(rest)) << comparison.kernel << " has no reference";
    comparison.remove(rest);
  }
  EXPECT_EQ(rest, Kernels{});
}

TEST(KernelTable, OnlyFusedAttentionIsOptional) {
  for (const Isa isa : usable_isas()) {
    Kernels filled = kernels_for(isa);
    EXPECT_EQ(filled.isa, isa);
    filled.attend_heads = kernels::reference_table().attend_heads;
    filled.attend_heads_int8 = kernels::reference_table().attend_heads_int8;
    filled.attend_query = kernels::reference_table().attend_query;
    for (const Comparison& comparison : comparisons) {
      EXPECT_TRUE(comparison.exists(filled)) << isa_name(isa) << " lacks " << comparison.kernel;
    }
  }
}

class Kernel : public ::testing::TestWithParam<Isa> {
 protected:
  const Kernels& fast() const { return kernels_for(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Isa, Kernel, ::testing::ValuesIn(usable_isas()),
                         [](const auto& tested) { return std::string(isa_name(tested.param)); });

TEST_P(Kernel, Int8ProductTakesTheCompensationThatItsPanelsHave) {
  Random random{16};
  Product product(random, 5, 3, 21);
  fill_with_bytes(product, random);
  const GemmSegment all_rows = {0, 0, 21};
  product.call.segments = &all_rows;
  product.call.segment_count = 1;
  const std::vector<float> computed = product.result(fast().gemm_int8);
  std::vector<int32_t> compensation(3 * panel_width);
  const auto* weights = reinterpret_cast<const int8_t*>(product.weights.data());
  for (size_t i = 0; i < product.weights.size() * 4; ++i) {
    const size_t panel = i / (21 * panel_width * 4);
    compensation[panel * panel_width + i / 4 % panel_width] -= 128 * weights[i];
  }
  for (size_t p = 0; p < 3; ++p) product.panels[p].compensation = &compensation[p * panel_width];
  EXPECT_EQ(product.result(fast().gemm_int8), computed);
}

// Empty products leave the bias: GELU on its own. bf16 rounds to 2^-9 of a result.
TEST_P(Kernel, GeluOfBf16AndInt8IsFinerThanTheirRounding) {
  Random random{17};
  Product product(random, 1, 400, 4);
  product.call.segment_count = 0;
  product.call.epilogue = GemmEpilogue::gelu;
  for (size_t i = 0; i < product.biases.size(); ++i) {
    product.biases[i] = static_cast<float>(static_cast<double>(i) * 0.0025 - 8);
  }
  product.biases.back() = -30;
  for (size_t p = 0; p < 400; ++p) product.panels[p].bias = &product.biases[p * panel_width];
  for (const auto gemm : {fast().gemm_bf16, fast().gemm_int8}) {
    const std::vector<float> y = product.result(gemm);
    for (size_t i = 0; i < product.biases.size(); ++i) {
      const double x = product.biases[i];
      const double exact = x / 2 * std::erfc(-x * std::sqrt(0.5));
      const double bound = x > 0 ? std::min(1.5e-4, 0x1p-11 * exact) : 1.5e-4;
      ASSERT_NEAR(y[i], exact, bound) << "GELU(" << x << ")";
    }
  }
}

// What makes a text's answer the same alone and in a batch.
TEST_P(Kernel, ARowsBitsDoNotDependOnTheOtherRows) {
  Random random{4};
  Product many(random, 37, 5, 40);
  const std::vector<float> all = many.result(fast().gemm_f32);
  many.call.rows = 1;
  const std::vector<float> one = many.result(fast().gemm_f32);
  for (size_t i = 0; i < 5 * panel_width; ++i) EXPECT_EQ(all[i], one[i]);
}

TEST_P(Kernel, Bf16SoftmaxEqualsTheReferenceToTheLastBitOrTwo) {
  Random random{15};
  for (const int64_t length : {1, 2, 7, 8, 15, 16, 17, 31, 64, 129}) {
    const int64_t stride = round_up(length, 2) + 1;
    std::vector<float> scores = random_floats(random, 3 * stride, 4.0);
    std::vector<float> same = scores;
    std::vector<float> expected_sums(3);
    std::vector<float> sums(3);
    std::vector<uint16_t> expected(static_cast<size_t>(3 * stride), 7);
    std::vector<uint16_t> actual = expected;
    kernels::reference_table().softmax(
        {scores.data(), stride, 3, length, expected_sums.data(), expected.data(), stride});
    fast().softmax({same.data(), stride, 3, length, sums.data(), actual.data(), stride});
    for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(sums[i] / expected_sums[i], 1, 0x1p-13);
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1) << i;
    for (int64_t row = 0; row < 3 && length % 2 != 0; ++row) {
      EXPECT_EQ(actual[static_cast<size_t>(row * stride + length)], 0);
    }
  }
}

TEST_P(Kernel, Bf16SoftmaxOfFarApartScoresIsFinite) {
  std::vector<float> row = {-1e30F, 0.0F, -200.0F, 3e38F};
  std::vector<uint16_t> rounded(4);
  float inverse = 0;
  fast().softmax({row.data(), 4, 1, 4, &inverse, rounded.data(), 4});
  constexpr uint16_t tiny = 0x0100;  // 2^-125
  for (size_t i = 0; i < 3; ++i) EXPECT_LE(rounded[i], tiny);
  EXPECT_EQ(rounded[3], 0x3f80);
  EXPECT_NEAR(inverse, 1, 0x1p-13);
}

TEST_P(Kernel, SoftmaxOfFarApartScoresIsFinite) {
  std::vector<float> row = {-1e30F, 0.0F, -200.0F, 3e38F};
  float inverse = 0;
  fast().softmax({row.data(), 4, 1, 4, &inverse});
  EXPECT_EQ(row, (std::vector<float>{0, 0, 0, 1}));
  EXPECT_EQ(inverse, 1.0F);
}

// The mean is a hundred times as large as the distances from it: a variance made of sums of squares
// would keep three digits.
TEST_P(Kernel, LayerNormOfRowsFarFromZeroKeepsItsDigits) {
  constexpr int64_t rows = 5;
  constexpr int64_t width = 256;
  Random random{18};
  std::vector<float> expected = random_floats(random, rows * width);
  for (float& x : expected) x += 100;
  std::vector<float> actual = expected;
  const std::vector<float> weight(width, 1.0F);
  const std::vector<float> bias(width, 0.0F);
  LayerNormCall call{expected.data(), width, rows, width, weight.data(), bias.data(), 1e-12F};
  kernels::reference_table().layer_norm(call);
  call.x = actual.data();
  fast().layer_norm(call);
  expect_near(actual, expected, 5e-5);
}

TEST_P(Kernel, ARowsNormDoesNotDependOnTheOtherRows) {
  constexpr int64_t rows = 7;
  constexpr int64_t width = 271;
  Random random{19};
  const std::vector<float> weight = random_floats(random, width);
  const std::vector<float> bias = random_floats(random, width);
  std::vector<float> together = random_floats(random, rows * width);
  std::vector<float> alone = together;
  LayerNormCall call{together.data(), width, rows, width, weight.data(), bias.data(), 1e-12F};
  fast().layer_norm(call);
  call.rows = 1;
  for (int64_t row = 0; row < rows; ++row) {
    call.x = alone.data() + row * width;
    fast().layer_norm(call);
  }
  EXPECT_EQ(together, alone);
}

}  // namespace
}  // namespace headroom
