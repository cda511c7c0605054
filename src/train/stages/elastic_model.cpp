#include "train/stages/elastic_model.h"

#include "model/slice.h"

namespace headroom {
inline namespace train {

torch::Tensor hard_mask(const ElasticModel& model, double budget) {
  if (budget >= 1.0) return {};
  const HeadOrder order = model.gates.value().parameters().order(budget);
  return mask_of(select_heads(order, budget), model.device());
}

ElasticModel copy_model(const ElasticModel& model) {
  ElasticModel copy = model;
  copy.weights = copy_weights(model.weights);
  if (model.gates) {
    copy.gates =
        HeadGates{model.gates->offset.detach().clone(), model.gates->slope.detach().clone()};
  }
  return copy;
}

}  // namespace train
}  // namespace headroom
