#include "train/stages/distilled_loss.h"

namespace headroom {
inline namespace train {

torch::Tensor teacher_outputs(const ElasticModel& teacher, const Batch& batch) {
  const torch::NoGradGuard no_gradients;
  return forward(teacher.weights, batch, teacher.evaluation());
}

torch::Tensor distilled_loss(const StageSettings& settings, const Objective& objective,
                             const torch::Tensor& outputs, const torch::Tensor& taught,
                             const Batch& batch) {
  const double r = settings.distill_weight;
  if (r == 1) return objective.distillation(outputs, taught, batch, settings.temperature);
  const torch::Tensor task = objective.loss(outputs, batch, settings.label_smoothing);
  if (!taught.defined()) return task;
  return (1 - r) * task + r * objective.distillation(outputs, taught, batch, settings.temperature);
}

}  // namespace train
}  // namespace headroom
