// Several processes that train one model: sums and copies of tensors between them, on PyTorch's
// process groups (Gloo between CPUs, NCCL between GPUs). Every process must make the same calls in
// the same order. A process that is alone makes them too, and nothing happens.
#pragma once

#include <memory>
#include <string>

#include "model/torch.h"
#include "train/parallel/world.h"

namespace headroom {
inline namespace train {

class Ranks {
 public:
  Ranks() : Ranks({}, torch::kCPU, 0) {}  // alone
  // Waits for the others of the job, up to `timeout_seconds`; later every exchange may take as
  // long.
  Ranks(const World& world, torch::Device device, double timeout_seconds);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  torch::Device device() const { return device_; }  // where tensors that are exchanged lie
  int rank() const { return rank_; }
  int size() const { return size_; }
  bool alone() const { return size_ == 1; }
  bool first() const { return rank_ == 0; }  // the one that validates, writes and talks

  // Begins to replace a dense tensor by its sum over all ranks, while this process goes on; finish
  // waits for all that began. Throws ErrorCode::runtime when another rank is gone.
  void start_sum(const torch::Tensor& tensor);
  void finish_sums();

  void copy_from_first(const torch::Tensor& tensor);
  std::string text_from_first(const std::string& text);
  double from_first(double value);
  double sum(double value);

 private:
  struct Group;

  [[noreturn]] void fail(const std::string& reason) const;
  torch::Tensor number(double value) const;

  torch::Device device_;
  int rank_;
  int size_;
  std::unique_ptr<Group> group_;
};

// The device and the threads that are this process's part of the machine, and the others of the
// job. `threads` 0: the cores of the machine, shared by its processes.
std::shared_ptr<Ranks> join_ranks(const ParallelSettings& settings, const std::string& device,
                                  int threads);

}  // namespace train
}  // namespace headroom
