#include "engine/kernels/kernels.h"

namespace headroom {

const Kernels& kernels_for(Isa isa) {
#if defined(__x86_64__)
  switch (isa) {
    case Isa::portable:
      return portable_kernels();
    case Isa::avx2:
      return avx2_kernels();
    case Isa::avx512:
      return avx512_kernels();
    case Isa::avx512_bf16:
      return avx512_bf16_kernels();
    case Isa::amx:
      return amx_kernels();
  }
#endif
  static_cast<void>(isa);
  return portable_kernels();
}

}  // namespace headroom
