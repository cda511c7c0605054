// The terms that objectives (train/heads/objective.h) and stages add up.
#pragma once

#include "model/torch.h"

namespace headroom {
inline namespace train {

torch::Tensor task_loss(const torch::Tensor& logits, const torch::Tensor& labels,
                        double label_smoothing);

// temperature^2 * KL(teacher || student), mean over the batch.
torch::Tensor distillation_loss(const torch::Tensor& student_logits,
                                const torch::Tensor& teacher_logits, double temperature);

// Of a sigmoid for each output, (B, n): the mean cross-entropy with targets from 0 to 1.
torch::Tensor sigmoid_loss(const torch::Tensor& logits, const torch::Tensor& targets);

// temperature^2 * KL(teacher || student) of each output, the mean of all.
torch::Tensor sigmoid_distillation(const torch::Tensor& student_logits,
                                   const torch::Tensor& teacher_logits, double temperature);

// P1's soft-stage penalties: mass_weight * mass(b) + overshoot_weight * max(0, mass(b) - b)^2, with
// mass the mean of the (L, H) gates.
torch::Tensor budget_penalty(const torch::Tensor& gates, double budget, double mass_weight,
                             double overshoot_weight);

}  // namespace train
}  // namespace headroom
