// The dot products that AVX512_BF16 and AVX512_VNNI have instructions for. Only for files compiled
// with their flags.
#pragma once

#include "engine/kernels/avx512/vector.h"
#include "engine/kernels/simd/gemm.h"

namespace headroom::kernels::avx512_bf16 {
namespace {

struct Bf16Product : simd::PackedOperands<avx512::Vector>, simd::FloatSums<avx512::Vector> {
  static constexpr bool finishes_in_registers = true;
  static __m512 add(__m512i a, __m512i b, __m512 sum) {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b));
  }
};

struct Int8Product : simd::PackedOperands<avx512::Vector>, simd::IntegerSums<avx512::Vector> {
  static constexpr bool finishes_in_registers = true;
  static __m512i add(__m512i a, __m512i b, __m512i sum) { return _mm512_dpbusd_epi32(sum, a, b); }
};

}  // namespace
}  // namespace headroom::kernels::avx512_bf16
