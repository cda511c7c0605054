#include "checkpoint/tensors/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.h"

namespace headroom {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are stored little-endian");

constexpr uint32_t f32_infinity = 0x7f800000;

// `bits` without its `shift` lowest bits, rounded to nearest and from a tie to even. A carry out of
// the mantissa lands in the exponent, which is exactly the next larger float.
constexpr uint32_t shift_right_rounding(uint32_t bits, int shift) {
  const uint32_t kept = bits >> shift;
  const uint32_t dropped = bits & ((1U << shift) - 1);
  const uint32_t half = 1U << (shift - 1);
  const bool up = dropped > half || (dropped == half && (kept & 1U) != 0);
  return kept + (up ? 1 : 0);
}

void require_convertible(std::string_view operation, DType dtype) {
  if (converts_to_f32(dtype)) return;
  throw Error(ErrorCode::usage, std::string(operation),
              fmt::format("{} elements, expected F32, F16 or BF16", dtype_name(dtype)));
}

// Both loops copy element by element because mapped bytes need not be aligned.
template <typename Element, typename Convert>
std::vector<float> decode_each(std::span<const std::byte> bytes, Convert convert) {
  std::vector<float> values(bytes.size() / sizeof(Element));
  for (size_t i = 0; i < values.size(); ++i) {
    Element element;
    std::memcpy(&element, bytes.data() + i * sizeof(Element), sizeof(Element));
    values[i] = convert(element);
  }
  return values;
}

template <typename Convert>
std::vector<std::byte> encode_each(std::span<const float> values, Convert convert) {
  std::vector<std::byte> bytes(values.size() * sizeof(uint16_t));
  for (size_t i = 0; i < values.size(); ++i) {
    const uint16_t element = convert(values[i]);
    std::memcpy(bytes.data() + i * sizeof(element), &element, sizeof(element));
  }
  return bytes;
}

// Whether the bits of `least` and of everything above it, sign aside, occur; without a branch per
// element, so that it runs at the speed of memory.
template <typename Element>
size_t count_from(const std::byte* elements, size_t count, Element least) {
  constexpr auto magnitude = static_cast<Element>(static_cast<Element>(~Element{0}) >> 1);
  size_t found = 0;
  for (size_t i = 0; i < count; ++i) {
    Element element;
    std::memcpy(&element, elements + i * sizeof(Element), sizeof(Element));
    found += static_cast<Element>(element & magnitude) >= least ? 1 : 0;
  }
  return found;
}

// The first element whose magnitude is at least `least`: bits of positive floats rise with them,
// and infinity and NaN are above every number.
template <typename Element>
std::optional<size_t> find_from(std::span<const std::byte> bytes, Element least) {
  constexpr size_t block = 4096;
  const size_t count = bytes.size() / sizeof(Element);
  for (size_t start = 0; start < count; start += block) {
    const std::byte* elements = bytes.data() + start * sizeof(Element);
    if (count_from(elements, std::min(block, count - start), least) == 0) continue;
    size_t index = start;
    while (count_from(bytes.data() + index * sizeof(Element), 1, least) == 0) ++index;
    return index;
  }
  return std::nullopt;
}

}  // namespace

float f16_to_f32(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000U) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fU;
  const uint32_t mantissa = bits & 0x3ffU;
  if (exponent == 0) {  // zero or subnormal: mantissa x 2^-24, exact in float
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  if (exponent == 0x1f) return std::bit_cast<float>(sign | f32_infinity | mantissa << 13);
  return std::bit_cast<float>(sign | (exponent + 127 - 15) << 23 | mantissa << 13);
}

float bf16_to_f32(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

uint16_t f32_to_f16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000U;
  const uint32_t magnitude = bits & 0x7fffffffU;
  uint32_t result = 0;
  if (magnitude > f32_infinity) {
    result = 0x7e00U | ((magnitude >> 13) & 0x3ffU);  // quiet, so that no payload becomes infinity
  } else if (magnitude >= 0x477ff000U) {              // 65520, half way past the largest f16
    result = 0x7c00U;
  } else if (magnitude >= 0x38800000U) {  // 2^-14, the smallest normal f16
    result = shift_right_rounding(magnitude - ((127U - 15U) << 23), 13);
  } else if (magnitude >= 0x33000000U) {  // 2^-25, half the smallest subnormal: below it, zero
    const uint32_t mantissa = (magnitude & 0x7fffffU) | 0x800000U;
    result = shift_right_rounding(mantissa, 126 - static_cast<int>(magnitude >> 23));
  }
  return static_cast<uint16_t>(sign | result);
}

uint16_t f32_to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffU) > f32_infinity) return static_cast<uint16_t>(bits >> 16 | 0x40U);
  return static_cast<uint16_t>(shift_right_rounding(bits, 16));
}

bool converts_to_f32(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f16 || dtype == DType::bf16;
}

std::vector<float> decode_f32(DType dtype, std::span<const std::byte> bytes) {
  require_convertible("decode tensor", dtype);
  if (bytes.size() % static_cast<size_t>(dtype_bits(dtype) / 8) != 0) {
    throw Error(ErrorCode::usage, "decode tensor",
                fmt::format("{} bytes end inside a {} element", bytes.size(), dtype_name(dtype)));
  }
  if (dtype == DType::f16) return decode_each<uint16_t>(bytes, f16_to_f32);
  if (dtype == DType::bf16) return decode_each<uint16_t>(bytes, bf16_to_f32);
  return decode_each<float>(bytes, [](float value) { return value; });
}

std::vector<std::byte> encode_f32(DType dtype, std::span<const float> values) {
  require_convertible("encode tensor", dtype);
  if (dtype == DType::f16) return encode_each(values, f32_to_f16);
  if (dtype == DType::bf16) return encode_each(values, f32_to_bf16);
  const auto bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}

std::optional<size_t> find_not_finite(DType dtype, std::span<const std::byte> bytes) {
  require_convertible("check tensor", dtype);
  if (dtype == DType::f16) return find_from<uint16_t>(bytes, 0x7c00);
  if (dtype == DType::bf16) return find_from<uint16_t>(bytes, 0x7f80);
  return find_from<uint32_t>(bytes, f32_infinity);
}

std::optional<size_t> find_beyond_bf16(std::span<const float> values) {
  return find_from<uint32_t>(std::as_bytes(values), 0x7f7f8000);
}

}  // namespace headroom
