// The kernels for ARM CPUs with I8MM and BF16: products of int8 and bf16, and those that round to
// bf16; the others are NEON's.
#include "engine/kernels/kernels.h"

#include "engine/kernels/neon_bf16/matrices.h"
#include "engine/kernels/simd/elementwise.h"
#include "engine/kernels/simd/layer_norm.h"
#include "engine/kernels/simd/query_attention.h"
#include "engine/kernels/simd/rotate.h"
#include "engine/kernels/simd/softmax.h"

namespace headroom::kernels {

const Kernels& neon_bf16_table() {
  using neon::Vector;
  static const Kernels table = [] {
    Kernels all = neon_table();
    all.isa = Isa::neon_bf16;
    all.has_bf16_products = true;
    all.gemm_bf16 = neon_bf16::gemm<neon_bf16::Bf16Matrices>;
    all.gemm_int8 = neon_bf16::gemm<neon_bf16::Int8Matrices>;
    all.softmax = simd::softmax<Vector>;
    all.layer_norm = simd::layer_norm<Vector>;
    all.rotate = simd::rotate<Vector>;
    all.multiply = simd::multiply<Vector>;
    all.round_to_bf16 = simd::round_to_bf16<Vector>;
    all.attend_query = simd::attend_query<Vector>;
    return all;
  }();
  return table;
}

}  // namespace headroom::kernels
