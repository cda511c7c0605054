#include "checkpoint/tensors/convert.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "checkpoint/tensors/tensor.h"
#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;

constexpr float infinity = std::numeric_limits<float>::infinity();

uint32_t bits_of(float value) {
  return std::bit_cast<uint32_t>(value);
}

// The definition of the format in arithmetic, sharing no code with the conversion under test.
double f16_value(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int mantissa = bits & 0x3ff;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

bool is_finite_f16(uint16_t bits) {
  return (bits & 0x7c00) != 0x7c00;
}

// Between two neighbours, `encode` must choose the nearer, and from the middle the even one.
template <typename Encode>
void expect_rounding_between(uint16_t low, float low_value, float high_value, Encode encode) {
  const auto high = static_cast<uint16_t>(low + 1);
  const auto middle = static_cast<float>((static_cast<double>(low_value) + high_value) / 2);
  ASSERT_EQ(encode(middle), (low & 1) == 0 ? low : high) << "from the middle above " << low_value;
  ASSERT_EQ(encode(std::nextafterf(middle, low_value)), low) << "just below the middle";
  ASSERT_EQ(encode(std::nextafterf(middle, high_value)), high) << "just above the middle";
}

TEST(F16, EveryFiniteValueDecodesToItsDefinitionAndBack) {
  for (uint32_t i = 0; i < 0x10000; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    if (!is_finite_f16(bits)) continue;
    const float value = f16_to_f32(bits);
    ASSERT_EQ(value, f16_value(bits)) << "bits " << i;
    ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << "bits " << i;
    ASSERT_EQ(f32_to_f16(value), bits);
  }
}

TEST(F16, RoundsToNearestAndTiesToEvenBetweenAllNeighbours) {
  for (uint16_t low = 0; low < 0x7bff; ++low) {
    expect_rounding_between(low, f16_to_f32(low), f16_to_f32(low + 1), f32_to_f16);
  }
}

TEST(F16, InfinityAndNanSurvive) {
  EXPECT_EQ(f16_to_f32(0x7c00), infinity);
  EXPECT_EQ(f16_to_f32(0xfc00), -infinity);
  EXPECT_EQ(f32_to_f16(infinity), 0x7c00);
  EXPECT_EQ(f32_to_f16(-infinity), 0xfc00);
  for (uint16_t payload = 1; payload < 0x400; ++payload) {
    const float nan = f16_to_f32(static_cast<uint16_t>(0x7c00 | payload));
    ASSERT_TRUE(std::isnan(nan));
    ASSERT_TRUE(std::isnan(f16_to_f32(f32_to_f16(nan))));
  }
  EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(std::bit_cast<float>(0x7f800001)))))
      << "a payload only in the bits that are dropped";
}

TEST(F16, OverflowBecomesInfinityAtTheRoundingBoundary) {
  EXPECT_EQ(f32_to_f16(std::nextafterf(65520.0F, 0)), 0x7bff);
  EXPECT_EQ(f32_to_f16(65520.0F), 0x7c00);
  EXPECT_EQ(f32_to_f16(std::numeric_limits<float>::max()), 0x7c00);
}

TEST(F16, UnderflowKeepsTheSign) {
  EXPECT_EQ(f32_to_f16(0x1p-25F), 0) << "the tie below the smallest subnormal goes to zero";
  EXPECT_EQ(f32_to_f16(std::nextafterf(0x1p-25F, 1)), 1);
  EXPECT_EQ(f32_to_f16(-1e-30F), 0x8000);
  EXPECT_EQ(f32_to_f16(std::numeric_limits<float>::denorm_min()), 0);
}

TEST(Bf16, EveryValueIsTheUpperHalfOfAFloat) {
  for (uint32_t i = 0; i < 0x10000; ++i) {
    const float value = bf16_to_f32(static_cast<uint16_t>(i));
    ASSERT_EQ(bits_of(value), i << 16);
    if (std::isnan(value)) continue;
    ASSERT_EQ(f32_to_bf16(value), i);
  }
}

TEST(Bf16, RoundsToNearestAndTiesToEvenBetweenAllNeighbours) {
  for (uint16_t low = 0; low < 0x7f7f; ++low) {
    expect_rounding_between(low, bf16_to_f32(low), bf16_to_f32(low + 1), f32_to_bf16);
  }
}

TEST(Bf16, NanNeverRoundsToInfinity) {
  EXPECT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(std::bit_cast<float>(0x7f800001)))));
  EXPECT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(std::bit_cast<float>(0x7fffffff)))));
  EXPECT_EQ(f32_to_bf16(std::numeric_limits<float>::max()), 0x7f80) << "overflow is infinity";
}

TEST(Encode, UnalignedBytesDecode) {
  std::vector<std::byte> bytes = encode_f32(DType::f32, std::vector<float>{1.5F, -2.0F});
  bytes.insert(bytes.begin(), std::byte{0});
  EXPECT_EQ(decode_f32(DType::f32, std::span(bytes).subspan(1)), (std::vector<float>{1.5F, -2.0F}));
}

TEST(Encode, EachFormatHoldsSmallWholeNumbersExactly) {
  const std::vector<float> values = {0.0F, 1.0F, -2.0F, 100.0F};
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    EXPECT_EQ(decode_f32(dtype, encode_f32(dtype, values)), values) << dtype_name(dtype);
  }
}

TEST(Encode, OtherTypesAndHalfElementsAreRefused) {
  const std::vector<std::byte> bytes(3);
  expect_error(ErrorCode::usage, "I64 elements", [&] { decode_f32(DType::i64, {}); });
  expect_error(ErrorCode::usage, "U8 elements", [&] { encode_f32(DType::u8, {}); });
  expect_error(ErrorCode::usage, "end inside a BF16", [&] { decode_f32(DType::bf16, bytes); });
}

TEST(DTypes, NamesLeadBackToTheType) {
  for (int i = 0; i <= static_cast<int>(DType::u64); ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(dtype_from_name(dtype_name(dtype)), dtype);
  }
  EXPECT_EQ(dtype_from_name("complex"), std::nullopt);
}

TEST(TensorBytes, CountsAndRefusals) {
  EXPECT_EQ(tensor_byte_count(DType::f32, std::vector<int64_t>{2, 3}), 24U);
  EXPECT_EQ(tensor_byte_count(DType::f32, {}), 4U) << "a scalar";
  EXPECT_EQ(tensor_byte_count(DType::f4, std::vector<int64_t>{2, 3}), 3U);
  EXPECT_EQ(tensor_byte_count(DType::f6_e2m3, std::vector<int64_t>{3}), std::nullopt);
  EXPECT_EQ(tensor_byte_count(DType::u8, std::vector<int64_t>{-1, -8}), std::nullopt);
  EXPECT_EQ(tensor_byte_count(DType::u8, std::vector<int64_t>{INT64_MAX, 3}), std::nullopt);
}

// Elements are looked at in blocks.
TEST(FindNotFinite, GivesTheFirstElementWhereverItIs) {
  std::vector<float> values(10'000, 1.0F);
  EXPECT_EQ(find_not_finite(DType::f32, std::as_bytes(std::span(values))), std::nullopt);
  for (const size_t index : {9'999U, 4'096U, 4'095U, 0U}) {
    values[index] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(find_not_finite(DType::f32, std::as_bytes(std::span(values))), index);
  }
}

TEST(FindBeyondBf16, GivesTheFirstValueThatRoundsToInfinity) {
  const auto last = std::bit_cast<float>(0x7f7f7fffU);
  const auto beyond = std::bit_cast<float>(0x7f7f8000U);
  EXPECT_TRUE(std::isfinite(bf16_to_f32(f32_to_bf16(last))));
  EXPECT_TRUE(std::isinf(bf16_to_f32(f32_to_bf16(beyond))));
  const std::vector<float> held = {last, -last, 0};
  EXPECT_EQ(find_beyond_bf16(held), std::nullopt);
  const std::vector<float> values = {last, -beyond, beyond};
  EXPECT_EQ(find_beyond_bf16(values), 1U);
}

}  // namespace
}  // namespace headroom
