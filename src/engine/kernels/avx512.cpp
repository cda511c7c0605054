// The kernels for AVX-512 without its bfloat16 and byte products. Compiled with their flags: see
// CMakeLists.txt.
#include "engine/kernels/embed_simd.h"
#include "engine/kernels/gemm_simd.h"
#include "engine/kernels/kernels.h"
#include "engine/kernels/layer_norm_simd.h"
#include "engine/kernels/quantise_simd.h"
#include "engine/kernels/query_attention_simd.h"
#include "engine/kernels/rows_simd.h"
#include "engine/kernels/simd_avx512.h"

namespace headroom {

const Kernels& avx512_kernels() {
  static constexpr Kernels kernels = {.isa = Isa::avx512,
                                      .gemm_f32 = gemm_simd<Avx512, FloatProduct<Avx512>>,
                                      .gemm_bf16 = gemm_simd<Avx512, WidenedBf16Product<Avx512>>,
                                      .gemm_int8 = gemm_simd<Avx512, WidenedByteProduct<Avx512>>,
                                      .embed = embed_simd<Avx512>,
                                      .softmax = softmax_simd<Avx512>,
                                      .layer_norm = layer_norm_simd<Avx512>,
                                      .exp = exp_simd<Avx512>,
                                      .erf = erf_simd<Avx512>,
                                      .gelu = gelu_simd<Avx512>,
                                      .tanh = tanh_simd<Avx512>,
                                      .round_to_bf16 = round_to_bf16_simd<Avx512>,
                                      .quantise = quantise_simd<Avx512>,
                                      .transpose = transpose_simd<Avx512>,
                                      .attend_query = attend_query_simd<Avx512>};
  return kernels;
}

}  // namespace headroom
