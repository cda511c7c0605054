// The products that AVX512_BF16 and AVX512_VNNI have instructions for. Only for files compiled with
// their flags; everything is local to the file.
#pragma once

#include "engine/kernels/gemm_simd.h"
#include "engine/kernels/simd_avx512.h"

namespace headroom {
namespace {

struct Bf16Product : FloatSums<Avx512> {
  using Unit = uint32_t;
  using Lanes = __m512i;
  static Lanes spread(const Unit* a) { return Avx512::spread_bits(*a); }
  static Lanes load(const Unit* b) { return Avx512::load_bits(b); }
  static __m512 add(Lanes a, Lanes b, __m512 sum) {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b));
  }
};

struct ByteProduct : WholeSums<Avx512> {
  using Unit = uint32_t;
  using Lanes = __m512i;
  static Lanes spread(const Unit* a) { return Avx512::spread_bits(*a); }
  static Lanes load(const Unit* b) { return Avx512::load_bits(b); }
  static __m512i add(Lanes a, Lanes b, __m512i sum) { return _mm512_dpbusd_epi32(sum, a, b); }
};

}  // namespace
}  // namespace headroom
