// What a step sends to its device. A plain copy waits until a GPU has done all work before it, and
// the next step's kernels are then started too late: from pinned memory nothing waits.
#pragma once

#include "model/torch.h"

namespace headroom {

inline torch::Tensor upload(const torch::Tensor& tensor, torch::Device device) {
  if (!device.is_cuda()) return tensor.to(device);
  return tensor.pin_memory().to(device, /*non_blocking=*/true);
}

}  // namespace headroom
