// The kernels for AVX2 and FMA.
#include "engine/kernels/kernels.h"

#include "engine/kernels/avx2/vector.h"
#include "engine/kernels/simd/kernels.h"

namespace headroom::kernels {

const Kernels& avx2_table() {
  static constexpr Kernels table = simd::kernels<avx2::Vector>(Isa::avx2);
  return table;
}

}  // namespace headroom::kernels
