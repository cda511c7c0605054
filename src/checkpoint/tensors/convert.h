// Conversions between float and the two 16-bit formats, exact where the target can hold the value
// and rounded to nearest, ties to even, where it cannot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "checkpoint/tensors/tensor.h"

namespace headroom {

// 16-bit values travel as their bit patterns. NaN stays NaN; overflow becomes infinity.
float f16_to_f32(uint16_t bits);
float bf16_to_f32(uint16_t bits);
uint16_t f32_to_f16(float value);
uint16_t f32_to_bf16(float value);

// Whether the functions below accept `dtype`: f16, bf16 and f32.
bool converts_to_f32(DType dtype);

// Little-endian elements, as safetensors stores them, to and from floats. The bytes need no
// alignment. Other types, and bytes that end inside an element, throw ErrorCode::usage.
std::vector<float> decode_f32(DType dtype, std::span<const std::byte> bytes);
std::vector<std::byte> encode_f32(DType dtype, std::span<const float> values);

// The first element that is not a number or infinite. The same types.
std::optional<size_t> find_not_finite(DType dtype, std::span<const std::byte> bytes);

// The first value that f32_to_bf16() makes infinite: from half a step above the largest bf16 on.
std::optional<size_t> find_beyond_bf16(std::span<const float> values);

}  // namespace headroom
