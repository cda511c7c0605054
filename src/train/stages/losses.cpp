#include "train/stages/losses.h"

namespace headroom {
inline namespace train {

torch::Tensor task_loss(const torch::Tensor& logits, const torch::Tensor& labels,
                        double label_smoothing) {
  return torch::cross_entropy_loss(logits.to(torch::kFloat32), labels, /*weight=*/{},
                                   torch::Reduction::Mean,
                                   /*ignore_index=*/-100, label_smoothing);
}

torch::Tensor distillation_loss(const torch::Tensor& student_logits,
                                const torch::Tensor& teacher_logits, double temperature) {
  const torch::Tensor student =
      torch::log_softmax(student_logits.to(torch::kFloat32) / temperature, -1);
  const torch::Tensor teacher =
      torch::log_softmax(teacher_logits.detach().to(torch::kFloat32) / temperature, -1);
  const torch::Tensor divergence = (teacher.exp() * (teacher - student)).sum(-1).mean();
  return divergence * (temperature * temperature);
}

torch::Tensor sigmoid_loss(const torch::Tensor& logits, const torch::Tensor& targets) {
  return torch::binary_cross_entropy_with_logits(logits.to(torch::kFloat32), targets);
}

torch::Tensor sigmoid_distillation(const torch::Tensor& student_logits,
                                   const torch::Tensor& teacher_logits, double temperature) {
  const torch::Tensor student = student_logits.to(torch::kFloat32) / temperature;
  const torch::Tensor logits = teacher_logits.detach().to(torch::kFloat32) / temperature;
  const torch::Tensor teacher = torch::sigmoid(logits);
  const torch::Tensor least = sigmoid_loss(logits, teacher);  // a perfect student's
  return (sigmoid_loss(student, teacher) - least) * (temperature * temperature);
}

torch::Tensor budget_penalty(const torch::Tensor& gates, double budget, double mass_weight,
                             double overshoot_weight) {
  const torch::Tensor mass = gates.mean();
  return mass_weight * mass + overshoot_weight * torch::relu(mass - budget).square();
}

}  // namespace train
}  // namespace headroom
