#include "model/head_gates.h"

#include "base/random.h"

namespace headroom {
namespace {

std::vector<double> to_doubles(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.detach().to(torch::kCPU).to(torch::kFloat64).flatten();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

}  // namespace

torch::Tensor HeadGates::values(double budget) const {
  if (budget >= 1.0) return {};
  return torch::sigmoid(offset + torch::softplus(slope) * gate_logit(budget));
}

GateParameters HeadGates::parameters() const {
  return {offset.size(0), offset.size(1), to_doubles(offset), to_doubles(slope)};
}

HeadGates fresh_gates(int64_t layers, int64_t heads, bool free_slopes, uint64_t seed,
                      torch::Device device) {
  Random random{seed, 0x6761746573};
  GateParameters start{layers, heads, std::vector<double>(static_cast<size_t>(layers * heads)), {}};
  for (double& offset : start.offset) offset = 0.1 * random.normal();
  start.slope.assign(free_slopes ? start.offset.size() : 1, unit_slope);
  return gates_from(start, device);
}

HeadGates gates_from(const GateParameters& parameters, torch::Device device) {
  const auto shape = std::vector<int64_t>{parameters.layers, parameters.heads};
  torch::Tensor offset = torch::tensor(parameters.offset, torch::kFloat32).view(shape);
  torch::Tensor slope = torch::tensor(parameters.slope, torch::kFloat32);
  if (!parameters.shared_slope()) slope = slope.view(shape);
  return {offset.to(device), slope.to(device)};
}

}  // namespace headroom
