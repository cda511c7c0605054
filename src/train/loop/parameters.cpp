#include "train/loop/parameters.h"

#include <utility>

namespace headroom {
inline namespace train {

Parameters::Parameters(ElasticModel& model, const ParameterSettings& settings) {
  std::vector<torch::Tensor*> matrices;
  std::vector<torch::Tensor*> vectors;
  std::vector<torch::Tensor*> controllers;
  const auto sort = [&](const std::string& name, torch::Tensor& tensor) {
    const bool chooses = name.find(".controller.") != std::string::npos;
    (chooses ? controllers : tensor.dim() > 1 ? matrices : vectors).push_back(&tensor);
  };
  for_each_tensor(model.weights, sort);
  for_each_companion(model, sort);
  add_group("matrices", 1.0, settings.weight_decay, matrices);
  add_group("vectors", 1.0, 0.0, vectors);
  if (!controllers.empty()) {
    add_group("controllers", settings.controller_rate_factor, 0.0, controllers);
  }
  if (model.gates) {
    add_group("gates", settings.gate_rate_factor, 0.0, {&model.gates->offset, &model.gates->slope});
  }
}

void Parameters::add_group(std::string name, double rate_factor, double weight_decay,
                           const std::vector<torch::Tensor*>& tensors) {
  std::vector<torch::Tensor> flat;
  for (const torch::Tensor* tensor : tensors) flat.push_back(tensor->detach().flatten());
  ParameterGroup group{
      std::move(name), rate_factor, weight_decay, torch::cat(flat), {}, {}, {}, {}};
  group.gradient = torch::zeros_like(group.values);
  group.mean = torch::zeros_like(group.values);
  group.square = torch::zeros_like(group.values);
  int64_t offset = 0;
  for (torch::Tensor* tensor : tensors) {
    const auto view_in = [&](const torch::Tensor& buffer) {
      return buffer.narrow(0, offset, tensor->numel()).view(tensor->sizes());
    };
    const torch::Tensor gradient = view_in(group.gradient);
    torch::Tensor value = view_in(group.values).detach().requires_grad_(true);
    value.mutable_grad() = gradient;  // backward adds into it in place
    offset += tensor->numel();
    *tensor = value;
    group.tensors.push_back(value);
  }
  groups_.push_back(std::move(group));
}

void Parameters::zero_gradients() {
  for (ParameterGroup& group : groups_) group.gradient.zero_();
}

void Parameters::reset_moments() {
  for (ParameterGroup& group : groups_) {
    group.mean.zero_();
    group.square.zero_();
  }
}

std::vector<torch::Tensor> Parameters::snapshot() const {
  std::vector<torch::Tensor> copies;
  for (const ParameterGroup& group : groups_) copies.push_back(group.values.clone());
  return copies;
}

void Parameters::restore(const std::vector<torch::Tensor>& values) {
  const torch::NoGradGuard no_gradients;
  for (size_t i = 0; i < groups_.size(); ++i) groups_[i].values.copy_(values[i]);
}

}  // namespace train
}  // namespace headroom
