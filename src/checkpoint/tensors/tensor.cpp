#include "checkpoint/tensors/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/checked.h"

namespace headroom {
namespace {

struct DTypeEntry {
  DType dtype;
  std::string_view name;
  int bits;
};

constexpr std::array dtypes = {
    DTypeEntry{DType::boolean, "BOOL", 8},
    DTypeEntry{DType::f4, "F4", 4},
    DTypeEntry{DType::f6_e2m3, "F6_E2M3", 6},
    DTypeEntry{DType::f6_e3m2, "F6_E3M2", 6},
    DTypeEntry{DType::u8, "U8", 8},
    DTypeEntry{DType::i8, "I8", 8},
    DTypeEntry{DType::f8_e5m2, "F8_E5M2", 8},
    DTypeEntry{DType::f8_e4m3, "F8_E4M3", 8},
    DTypeEntry{DType::f8_e8m0, "F8_E8M0", 8},
    DTypeEntry{DType::f8_e4m3fnuz, "F8_E4M3FNUZ", 8},
    DTypeEntry{DType::f8_e5m2fnuz, "F8_E5M2FNUZ", 8},
    DTypeEntry{DType::i16, "I16", 16},
    DTypeEntry{DType::u16, "U16", 16},
    DTypeEntry{DType::f16, "F16", 16},
    DTypeEntry{DType::bf16, "BF16", 16},
    DTypeEntry{DType::i32, "I32", 32},
    DTypeEntry{DType::u32, "U32", 32},
    DTypeEntry{DType::f32, "F32", 32},
    DTypeEntry{DType::c64, "C64", 64},
    DTypeEntry{DType::f64, "F64", 64},
    DTypeEntry{DType::i64, "I64", 64},
    DTypeEntry{DType::u64, "U64", 64},
};

// The table is indexed by the enum, so its order must be the enum's.
constexpr bool table_follows_the_enum() {
  for (size_t i = 0; i < dtypes.size(); ++i) {
    if (static_cast<size_t>(dtypes[i].dtype) != i) return false;
  }
  return dtypes.size() == static_cast<size_t>(DType::u64) + 1;
}
static_assert(table_follows_the_enum());

}  // namespace

std::string_view dtype_name(DType dtype) {
  return dtypes.at(static_cast<size_t>(dtype)).name;
}

int dtype_bits(DType dtype) {
  return dtypes.at(static_cast<size_t>(dtype)).bits;
}

std::optional<DType> dtype_from_name(std::string_view name) {
  const auto* found = std::find_if(dtypes.begin(), dtypes.end(),
                                   [&](const DTypeEntry& entry) { return entry.name == name; });
  if (found == dtypes.end()) return std::nullopt;
  return found->dtype;
}

std::optional<uint64_t> tensor_byte_count(DType dtype, std::span<const int64_t> shape) {
  std::optional<uint64_t> bits = static_cast<uint64_t>(dtype_bits(dtype));
  for (const int64_t dim : shape) {
    if (dim < 0) return std::nullopt;
    bits = checked_mul(*bits, static_cast<uint64_t>(dim));
    if (!bits) return std::nullopt;
  }
  if (*bits % 8 != 0) return std::nullopt;
  return *bits / 8;
}

std::string shape_text(std::span<const int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

}  // namespace headroom
