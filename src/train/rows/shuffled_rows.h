// Rows of a set in another order every epoch, as numbers on the device that holds the rows. A last
// batch that would not be full is left out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "model/torch.h"

namespace headroom {
inline namespace train {

class ShuffledRows {
 public:
  // `salt` sets the orders of one kind of rows apart from those of another.
  ShuffledRows(int64_t rows, int batch_size, uint64_t seed, uint64_t salt, torch::Device device)
      : order_(static_cast<size_t>(rows)),
        batch_size_(std::min<int64_t>(batch_size, rows)),
        seed_(seed),
        salt_(salt),
        device_(device) {}

  torch::Tensor at(int64_t step) {
    const int64_t epoch = step / steps_per_epoch();
    if (epoch != epoch_) {
      std::iota(order_.begin(), order_.end(), 0);
      Random{seed_, static_cast<uint64_t>(epoch), salt_}.shuffle(order_);
      on_device_ = torch::tensor(order_, torch::kInt64).to(device_);
      epoch_ = epoch;
    }
    return on_device_.narrow(0, step % steps_per_epoch() * batch_size_, batch_size_);
  }
  int64_t steps_per_epoch() const { return static_cast<int64_t>(order_.size()) / batch_size_; }
  int64_t batch_size() const { return batch_size_; }

 private:
  std::vector<int64_t> order_;
  torch::Tensor on_device_;
  int64_t batch_size_;
  uint64_t seed_;
  uint64_t salt_;
  torch::Device device_;
  int64_t epoch_ = -1;
};

}  // namespace train
}  // namespace headroom
