#include "model/head_dispatch.h"

#include "model/attention.h"
#include "model/slice.h"

namespace headroom {
namespace {

// Heads that an input chose, as numbers.
std::vector<int32_t> heads_of(const torch::Tensor& chosen) {
  const torch::Tensor numbers = chosen.nonzero().flatten().to(torch::kInt32).to(torch::kCPU);
  return {numbers.data_ptr<int32_t>(), numbers.data_ptr<int32_t>() + numbers.numel()};
}

torch::Tensor rows_of(const torch::Tensor& tensor, const torch::Tensor& rows) {
  return tensor.defined() ? tensor.index_select(0, rows) : tensor;
}

}  // namespace

torch::Tensor attention_of_chosen(const AttentionWeights& weights, const torch::Tensor& x,
                                  const torch::Tensor& key_bias, const torch::Tensor& chosen,
                                  const torch::Tensor& relative) {
  if (x.size(0) == 1) {
    return attention(slice_attention(weights, heads_of(chosen[0])), x, key_bias, {}, 0.0, relative);
  }
  // Every input gets the output's bias once, whichever heads it chose.
  const torch::Tensor& bias = weights.output.bias;
  torch::Tensor sum = bias.defined() ? bias.expand_as(x).contiguous() : torch::zeros_like(x);
  for (int64_t head = 0; head < weights.heads; ++head) {
    const torch::Tensor rows = chosen.select(1, head).nonzero().flatten();
    if (rows.size(0) == 0) continue;
    AttentionWeights alone = slice_attention(weights, {static_cast<int32_t>(head)});
    alone.output.bias = torch::Tensor();
    sum.index_add_(0, rows,
                   attention(alone, rows_of(x, rows), rows_of(key_bias, rows), {}, 0.0, relative));
  }
  return sum;
}

}  // namespace headroom
