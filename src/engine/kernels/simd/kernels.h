// All kernels from one `Vector` class.
#pragma once

#include "engine/kernels/kernels.h"
#include "engine/kernels/simd/elementwise.h"
#include "engine/kernels/simd/embed.h"
#include "engine/kernels/simd/gemm.h"
#include "engine/kernels/simd/layer_norm.h"
#include "engine/kernels/simd/quantise.h"
#include "engine/kernels/simd/query_attention.h"
#include "engine/kernels/simd/rotate.h"
#include "engine/kernels/simd/softmax.h"

namespace headroom::kernels::simd {
namespace {

template <class S>
constexpr Kernels kernels(Isa isa) {
  return {.isa = isa,
          .gemm_f32 = gemm<S, FloatProduct<S>>,
          .gemm_bf16 = gemm<S, WidenedBf16Product<S>>,
          .gemm_int8 = gemm<S, WidenedInt8Product<S>>,
          .embed = embed<S>,
          .softmax = softmax<S>,
          .layer_norm = layer_norm<S>,
          .quantise = quantise<S>,
          .rotate = rotate<S>,
          .multiply = multiply<S>,
          .exp = map<S, exp<S>>,
          .erf = map<S, erf<S>>,
          .gelu = map<S, gelu<S>>,
          .tanh = map<S, tanh<S>>,
          .round_to_bf16 = round_to_bf16<S>,
          .transpose = transpose<S>,
          .attend_query = attend_query<S>};
}

}  // namespace
}  // namespace headroom::kernels::simd
