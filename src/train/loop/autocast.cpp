#include "train/loop/autocast.h"

#include <ATen/autocast_mode.h>

namespace headroom {
inline namespace train {
namespace {

void set_cuda_autocast(bool enabled) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  at::autocast::set_autocast_dtype(at::kCUDA, at::kBFloat16);
  at::autocast::set_autocast_enabled(at::kCUDA, enabled);
#else
  at::autocast::set_autocast_gpu_dtype(at::kBFloat16);
  at::autocast::set_enabled(enabled);
#endif
}

}  // namespace

Bf16Autocast::Bf16Autocast(torch::Device device) : active_(device.is_cuda()) {
  if (!active_) return;
  at::autocast::increment_nesting();
  set_cuda_autocast(true);
}

Bf16Autocast::~Bf16Autocast() {
  if (!active_) return;
  // The cache holds bf16 copies of weights that the next optimiser step changes.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  set_cuda_autocast(false);
}

}  // namespace train
}  // namespace headroom
