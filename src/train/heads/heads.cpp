// Which objective a finished model has.
#include "train/heads/objective.h"

namespace headroom {
inline namespace train {

std::shared_ptr<const Objective> objective_of(const ModelConfig& config) {
  switch (config.task) {
    case Task::tag:
      return tag_objective(config.labels);
    case Task::multilabel:
      return multilabel_objective(config.output.thresholds);
    case Task::regress:
      return number_objective(0, 1);
    case Task::rerank:
      return rank_objective(config.output.lexical);
    case Task::embed:
      return vector_objective(vector_widths(config.shape.vector_width()));
    default:
      return label_objective();
  }
}

torch::Tensor calibrated(const torch::Tensor& outputs, const ScoreCalibration& calibration) {
  if (calibration.temperature == 1 && calibration.offset == 0) return outputs;
  return outputs / calibration.temperature + calibration.offset;
}

}  // namespace train
}  // namespace headroom
