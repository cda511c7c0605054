#include "train/pretraining/binary_head.h"

#include <cmath>
#include <vector>

#include "model/layers.h"

namespace headroom {
inline namespace train {
namespace {

// Xavier-normal, as all matrices begin.
Linear fresh_linear(int64_t out, int64_t in, Random& random) {
  const double scale = std::sqrt(2.0 / static_cast<double>(out + in));
  std::vector<float> values(static_cast<size_t>(out * in));
  for (float& value : values) value = static_cast<float>(random.normal() * scale);
  return {torch::tensor(values).view({out, in}), torch::zeros({out})};
}

}  // namespace

BinaryHead fresh_binary_head(int64_t width, double share, Random& random, torch::Device device) {
  BinaryHead head{fresh_linear(width, width, random), fresh_linear(1, width, random)};
  head.output.bias.fill_(std::log(share / (1 - share)));
  for_each_tensor(head, "",
                  [&](const std::string&, torch::Tensor& tensor) { tensor = tensor.to(device); });
  return head;
}

void for_each_tensor(BinaryHead& head, const std::string& name,
                     const std::function<void(const std::string&, torch::Tensor&)>& visit) {
  visit(name + ".dense.weight", head.dense.weight);
  visit(name + ".dense.bias", head.dense.bias);
  visit(name + ".output.weight", head.output.weight);
  visit(name + ".output.bias", head.output.bias);
}

torch::Tensor binary_logits(const BinaryHead& head, const torch::Tensor& rows) {
  const torch::Tensor hidden = torch::gelu(linear(rows, head.dense));
  return linear(hidden, head.output).squeeze(-1).to(torch::kFloat32);
}

}  // namespace train
}  // namespace headroom
