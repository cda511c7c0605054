// The kernels for AVX2 and FMA. Compiled with their flags: see CMakeLists.txt.
#include "engine/kernels/embed_simd.h"
#include "engine/kernels/gemm_simd.h"
#include "engine/kernels/kernels.h"
#include "engine/kernels/layer_norm_simd.h"
#include "engine/kernels/quantise_simd.h"
#include "engine/kernels/query_attention_simd.h"
#include "engine/kernels/rows_simd.h"
#include "engine/kernels/simd_avx2.h"

namespace headroom {

const Kernels& avx2_kernels() {
  static constexpr Kernels kernels = {.isa = Isa::avx2,
                                      .gemm_f32 = gemm_simd<Avx2, FloatProduct<Avx2>>,
                                      .gemm_bf16 = gemm_simd<Avx2, WidenedBf16Product<Avx2>>,
                                      .gemm_int8 = gemm_simd<Avx2, WidenedByteProduct<Avx2>>,
                                      .embed = embed_simd<Avx2>,
                                      .softmax = softmax_simd<Avx2>,
                                      .layer_norm = layer_norm_simd<Avx2>,
                                      .exp = exp_simd<Avx2>,
                                      .erf = erf_simd<Avx2>,
                                      .gelu = gelu_simd<Avx2>,
                                      .tanh = tanh_simd<Avx2>,
                                      .round_to_bf16 = round_to_bf16_simd<Avx2>,
                                      .quantise = quantise_simd<Avx2>,
                                      .transpose = transpose_simd<Avx2>,
                                      .attend_query = attend_query_simd<Avx2>};
  return kernels;
}

}  // namespace headroom
