// In what precision the linear layers multiply. Sums, softmax and normalisation are always floats.
#pragma once

#include <cstdint>
#include <string_view>

namespace headroom {

enum class Precision {
  fp32,
  bf16,  // weights and activations rounded to bfloat16; half the memory
  int8,  // weights with a scale per column, activations with one per row; a quarter of the memory
};

std::string_view precision_name(Precision precision);
Precision parse_precision(std::string_view name);  // throws ErrorCode::usage

// How many numbers share one 32-bit lane of a product (kernels/gemm.h).
constexpr int64_t numbers_per_unit(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return 1;
    case Precision::bf16:
      return 2;
    case Precision::int8:
      return 4;
  }
  return 1;
}

}  // namespace headroom
