#include "train/pretraining/nested_steps.h"

#include "train/stages/stages.h"

namespace headroom {
inline namespace train {

void NestedSteps::prepare(ElasticModel& model) const {
  if (share_ == 0) return;
  model.order = uniform_order(model.shape, default_group_width(model.shape.ffn));
}

ModelWeights NestedSteps::weights_for(const ElasticModel& model, Random& random) const {
  if (random.uniform() >= share_) return model.weights;
  return at_budget(model, draw_budget({}, random));
}

}  // namespace train
}  // namespace headroom
