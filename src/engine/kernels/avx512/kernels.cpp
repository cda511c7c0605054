// The kernels for AVX-512 without its dot products of bf16 and int8.
#include "engine/kernels/kernels.h"

#include "engine/kernels/avx512/vector.h"
#include "engine/kernels/simd/kernels.h"

namespace headroom::kernels {

const Kernels& avx512_table() {
  static constexpr Kernels table = simd::kernels<avx512::Vector>(Isa::avx512);
  return table;
}

}  // namespace headroom::kernels
