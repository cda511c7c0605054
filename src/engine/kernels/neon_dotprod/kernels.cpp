// The kernels for ARM CPUs with dot products of bytes: int8 products; the others are NEON's.
#include "engine/kernels/kernels.h"

#include "engine/kernels/neon/vector.h"
#include "engine/kernels/simd/gemm.h"

namespace headroom::kernels {
namespace {

// SDOT multiplies signed bytes: 128 is taken from those of A as they are read.
struct SignedProduct : simd::PackedOperands<neon::Vector>, simd::IntegerSums<neon::Vector> {
  static constexpr bool signed_rows = true;
  static int32x4_t broadcast(const uint32_t* a) {
    const uint8x16_t bytes = vreinterpretq_u8_u32(vld1q_dup_u32(a));
    return vreinterpretq_s32_u8(veorq_u8(bytes, vdupq_n_u8(128)));
  }
  static int32x4_t add(int32x4_t a, int32x4_t b, int32x4_t sum) {
    return vdotq_s32(sum, vreinterpretq_s8_s32(a), vreinterpretq_s8_s32(b));
  }
};

}  // namespace

const Kernels& neon_dotprod_table() {
  static const Kernels table = [] {
    Kernels all = neon_table();
    all.isa = Isa::neon_dotprod;
    all.gemm_int8 = simd::gemm<neon::Vector, SignedProduct>;
    return all;
  }();
  return table;
}

}  // namespace headroom::kernels
