// What a stored tensor is: element type, shape and the number of bytes they imply.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

// Every element type of the safetensors format, in its order of increasing alignment: writers sort
// by it. Only f16, bf16 and f32 are computed with; the others are carried as bytes.
enum class DType {
  boolean,
  f4,
  f6_e2m3,
  f6_e3m2,
  u8,
  i8,
  f8_e5m2,
  f8_e4m3,
  f8_e8m0,
  f8_e4m3fnuz,
  f8_e5m2fnuz,
  i16,
  u16,
  f16,
  bf16,
  i32,
  u32,
  f32,
  c64,  // complex: two f32
  f64,
  i64,
  u64,
};

std::string_view dtype_name(DType dtype);  // as files spell it: "F32", "BOOL"
std::optional<DType> dtype_from_name(std::string_view name);
int dtype_bits(DType dtype);  // bits, because f4 and f6 pack several elements into a byte

inline constexpr size_t max_tensor_dims = 8;

// Bytes of a tensor, or nothing when a dimension is negative, the count overflows 64 bits or packed
// elements end in the middle of a byte.
std::optional<uint64_t> tensor_byte_count(DType dtype, std::span<const int64_t> shape);

std::string shape_text(std::span<const int64_t> shape);  // "[2, 3]"

// One entry of a file's table of contents; offsets count from the start of the data section.
struct TensorInfo {
  std::string name;
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  uint64_t begin = 0;
  uint64_t end = 0;
};

// A tensor about to be written. The bytes belong to the caller and are not copied.
struct TensorView {
  std::string name;
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;
};

}  // namespace headroom
