#include "train/parallel/gradient_exchange.h"

#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/utils/lambda_post_hook.h>

namespace headroom {
inline namespace train {

// Where autograd adds a tensor's gradient; it lives only as long as someone holds it.
struct GradientExchange::Hook {
  std::shared_ptr<torch::autograd::Node> accumulator;
  uintptr_t key;
};

GradientExchange::GradientExchange(Parameters& parameters, Ranks& ranks, int64_t bucket_bytes)
    : ranks_(ranks) {
  if (ranks.alone()) return;
  for (const ParameterGroup& group : parameters.groups()) add_group(group, bucket_bytes);
}

GradientExchange::~GradientExchange() {
  for (const Hook& hook : hooks_) hook.accumulator->del_post_hook(hook.key);
}

void GradientExchange::add_group(const ParameterGroup& group, int64_t bucket_bytes) {
  const auto bytes = static_cast<int64_t>(group.values.element_size());
  int64_t end = group.values.numel();
  int64_t begin = end;
  Bucket bucket;
  const auto close = [&] {
    bucket.gradient = group.gradient.narrow(0, begin, end - begin);
    buckets_.push_back(bucket);
    bucket = {};
    end = begin;
  };
  for (auto tensor = group.tensors.rbegin(); tensor != group.tensors.rend(); ++tensor) {
    watch(*tensor, buckets_.size());
    begin -= tensor->numel();
    ++bucket.tensors;
    if ((end - begin) * bytes >= bucket_bytes) close();
  }
  if (begin < end) close();
}

void GradientExchange::watch(const torch::Tensor& tensor, size_t bucket) {
  const auto accumulator = torch::autograd::impl::grad_accumulator(tensor);
  using torch::autograd::variable_list;
  const uintptr_t key =
      accumulator->add_post_hook(std::make_unique<torch::autograd::utils::LambdaPostHook>(
          [this, bucket](const variable_list& outputs, const variable_list& /*inputs*/) {
            written(bucket);
            return outputs;
          }));
  hooks_.push_back({accumulator, key});
}

void GradientExchange::expect_last_backward() {
  for (Bucket& bucket : buckets_) bucket.missing = bucket.tensors;
  started_ = 0;
  expecting_ = true;
}

void GradientExchange::written(size_t bucket) {
  if (!expecting_) return;
  --buckets_[bucket].missing;
  start_ready(/*all=*/false);
}

void GradientExchange::start_ready(bool all) {
  while (started_ < buckets_.size() && (all || buckets_[started_].missing == 0)) {
    ranks_.start_sum(buckets_[started_].gradient);
    ++started_;
  }
}

void GradientExchange::finish() {
  overlapped_ = started_;
  start_ready(/*all=*/true);  // what this step's loss did not reach has no gradient, but its place
  expecting_ = false;
  ranks_.finish_sums();
}

}  // namespace train
}  // namespace headroom
