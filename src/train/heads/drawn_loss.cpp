#include "train/heads/drawn_loss.h"

#include "train/stages/losses.h"

namespace headroom {
inline namespace train {
namespace {

torch::Tensor drawn_classes(const torch::Tensor& logits) {
  const torch::Tensor probabilities = torch::softmax(logits.detach(), -1);
  return task_loss(logits, torch::multinomial(probabilities, 1).flatten(), 0);
}

torch::Tensor drawn_sigmoids(const torch::Tensor& logits) {
  return sigmoid_loss(logits, torch::bernoulli(torch::sigmoid(logits.detach())));
}

}  // namespace

torch::Tensor drawn_loss(Task task, const torch::Tensor& outputs, const Batch& batch) {
  const torch::Tensor values = outputs.to(torch::kFloat32);
  switch (traits(task).output) {
    case OutputForm::tags:
      return drawn_classes(values.index_select(0, (batch.labels >= 0).nonzero().flatten()));
    case OutputForm::labels:
      return drawn_sigmoids(values);
    case OutputForm::score:
      if (task == Task::rerank) return drawn_sigmoids(values);
      return torch::mse_loss(values, values.detach() + torch::randn_like(values));
    case OutputForm::vector: {
      const torch::Tensor lengths = values.norm(2, {1}, /*keepdim=*/true).clamp_min(1e-9);
      return (values / lengths * torch::randn_like(values)).sum(1).mean();
    }
    default:
      return drawn_classes(values);
  }
}

}  // namespace train
}  // namespace headroom
