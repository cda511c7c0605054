// Adds up the gradients of all ranks while the backward pass still runs. The flat gradient buffers
// are cut into buckets of whole tensors; a bucket's sum begins as soon as the backward pass has
// written its last tensor. Backward passes go from the last layer to the first, so do the buckets,
// and no bucket begins before its predecessor: all ranks then begin the same sums in the same
// order.
#pragma once

#include <memory>
#include <vector>

#include "train/loop/parameters.h"
#include "train/parallel/ranks.h"

namespace headroom {
inline namespace train {

class GradientExchange {
 public:
  // Large enough that a sum's latency (0.1 ms on one machine) is small against its time, small
  // enough that the last one, which nothing hides, is short.
  static constexpr int64_t default_bucket_bytes = 4 << 20;

  GradientExchange(Parameters& parameters, Ranks& ranks,
                   int64_t bucket_bytes = default_bucket_bytes);
  ~GradientExchange();
  GradientExchange(const GradientExchange&) = delete;
  GradientExchange& operator=(const GradientExchange&) = delete;

  void expect_last_backward();  // of this step: from now on finished buckets leave
  void finish();                // every gradient is the sum over all ranks

  size_t buckets() const { return buckets_.size(); }
  size_t overlapped() const { return overlapped_; }  // sums that the last backward pass hid

 private:
  struct Bucket {
    torch::Tensor gradient;  // a part of a group's flat buffer
    int64_t tensors = 0;
    int64_t missing = 0;  // tensors that the running backward pass has not written yet
  };
  struct Hook;

  void add_group(const ParameterGroup& group, int64_t bucket_bytes);
  void watch(const torch::Tensor& tensor, size_t bucket);
  void written(size_t bucket);
  void start_ready(bool all);

  Ranks& ranks_;
  std::vector<Bucket> buckets_;
  std::vector<Hook> hooks_;
  bool expecting_ = false;
  size_t started_ = 0;
  size_t overlapped_ = 0;
};

}  // namespace train
}  // namespace headroom
