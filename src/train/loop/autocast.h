// Mixed precision on a GPU: matrix products in bf16, sums and norms in fp32, weights in fp32.
#pragma once

#include "model/torch.h"

namespace headroom {
inline namespace train {

// While it lives, forward passes on `device` run in bf16 where torch thinks it safe. Does nothing
// on a CPU: bf16 is slower there without AMX.
class Bf16Autocast {
 public:
  explicit Bf16Autocast(torch::Device device);
  ~Bf16Autocast();
  Bf16Autocast(const Bf16Autocast&) = delete;
  Bf16Autocast& operator=(const Bf16Autocast&) = delete;

 private:
  bool active_;
};

}  // namespace train
}  // namespace headroom
