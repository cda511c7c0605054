#include "train/stages/elastic_model.h"

#include "model/slice.h"

namespace headroom {
inline namespace train {

torch::Tensor hard_mask(const ElasticModel& model, double budget) {
  if (budget >= 1.0) return {};
  const HeadOrder order = model.gates.value().parameters().order(budget);
  return mask_of(select_heads(order, budget), model.device());
}

ModelWeights at_budget(const ElasticModel& model, double budget) {
  if (budget >= 1.0) return model.weights;
  return prefix_view(model.weights, select_units(model.order.value(), model.shape, budget));
}

void for_each_companion(ElasticModel& model,
                        const std::function<void(const std::string&, torch::Tensor&)>& visit) {
  if (model.detection) for_each_tensor(*model.detection, visit);
  if (model.order_head) for_each_tensor(*model.order_head, "order", visit);
}

ElasticModel in_working_precision(ElasticModel model) {
  if (!model.device().is_cuda()) return model;
  const auto to_bf16 = [](const std::string&, torch::Tensor& tensor) {
    tensor = tensor.to(torch::kBFloat16);
  };
  for_each_tensor(model.weights, to_bf16);
  for_each_companion(model, to_bf16);
  return model;
}

ElasticModel copy_model(const ElasticModel& model) {
  ElasticModel copy = model;
  copy.weights = copy_weights(model.weights);
  for_each_companion(
      copy, [](const std::string&, torch::Tensor& tensor) { tensor = tensor.detach().clone(); });
  if (model.gates) {
    copy.gates =
        HeadGates{model.gates->offset.detach().clone(), model.gates->slope.detach().clone()};
  }
  return copy;
}

}  // namespace train
}  // namespace headroom
