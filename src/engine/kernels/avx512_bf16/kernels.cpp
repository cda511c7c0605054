// The kernels for AVX-512 with its dot products of bf16 and int8 and its conversion to bf16: those
// that use these; the others are AVX-512's.
#include "engine/kernels/kernels.h"

#include "engine/kernels/avx512_bf16/head_attention.h"
#include "engine/kernels/avx512_bf16/products.h"
#include "engine/kernels/simd/elementwise.h"
#include "engine/kernels/simd/layer_norm.h"
#include "engine/kernels/simd/query_attention.h"
#include "engine/kernels/simd/softmax.h"

namespace headroom::kernels {

const Kernels& avx512_bf16_table() {
  using avx512::Vector;
  static const Kernels table = [] {
    Kernels all = avx512_table();
    all.isa = Isa::avx512_bf16;
    all.has_bf16_products = true;
    all.gemm_bf16 = simd::gemm<Vector, avx512_bf16::Bf16Product>;
    all.gemm_int8 = simd::gemm<Vector, avx512_bf16::Int8Product>;
    all.softmax = simd::softmax<Vector>;
    all.layer_norm = simd::layer_norm<Vector>;
    all.round_to_bf16 = simd::round_to_bf16<Vector>;
    all.attend_heads = avx512_bf16::attend_heads<avx512_bf16::Bf16Heads>;
    all.attend_heads_int8 = avx512_bf16::attend_heads<avx512_bf16::Int8Heads>;
    all.attend_query = simd::attend_query<Vector>;
    return all;
  }();
  return table;
}

}  // namespace headroom::kernels
