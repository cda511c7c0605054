// The kernels for every 64-bit ARM CPU.
#include "engine/kernels/kernels.h"

#include "engine/kernels/neon/vector.h"
#include "engine/kernels/simd/kernels.h"

namespace headroom::kernels {

const Kernels& neon_table() {
  static constexpr Kernels table = simd::kernels<neon::Vector>(Isa::neon);
  return table;
}

}  // namespace headroom::kernels
