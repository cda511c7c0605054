// The kernels for AVX-512 with its products of bfloat16 and of bytes, and what rounds to bfloat16
// with its instruction; all others are AVX-512's. Compiled with its flags: see CMakeLists.txt.
#include "engine/kernels/kernels.h"
#include "engine/kernels/layer_norm_simd.h"
#include "engine/kernels/products_avx512.h"
#include "engine/kernels/query_attention_simd.h"
#include "engine/kernels/rows_simd.h"

namespace headroom {

const Kernels& avx512_bf16_kernels() {
  static const Kernels kernels = [] {
    Kernels all = avx512_kernels();
    all.isa = Isa::avx512_bf16;
    all.gemm_bf16 = gemm_simd<Avx512, Bf16Product>;
    all.gemm_int8 = gemm_simd<Avx512, ByteProduct>;
    all.softmax = softmax_simd<Avx512>;
    all.layer_norm = layer_norm_simd<Avx512>;
    all.round_to_bf16 = round_to_bf16_simd<Avx512>;
    all.attend_query = attend_query_simd<Avx512>;
    return all;
  }();
  return kernels;
}

}  // namespace headroom
