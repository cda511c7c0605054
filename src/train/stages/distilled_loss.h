// What a prefix of a nested model minimises: its task's loss, and how far it is from a teacher.
#pragma once

#include "train/recipe.h"
#include "train/stages/elastic_model.h"

namespace headroom {
inline namespace train {

// The whole model's outputs, without dropout and gradients.
torch::Tensor teacher_outputs(const ElasticModel& teacher, const Batch& batch);

// (1 - r) * task + r * distillation; without a teacher's outputs the task alone, and rows without
// labels have no task.
torch::Tensor distilled_loss(const StageSettings& settings, const Objective& objective,
                             const torch::Tensor& outputs, const torch::Tensor& taught,
                             const Batch& batch);

}  // namespace train
}  // namespace headroom
