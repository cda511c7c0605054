// How well a passage answers a query: a sigmoid for each pair, nDCG@10 and MRR@10 of its queries.
#include "train/heads/row_outputs.h"
#include "train/stages/losses.h"

namespace headroom {
inline namespace train {
namespace {

class RankObjective : public RowObjective {
 public:
  // Grades above 0 count as relevant.
  torch::Tensor loss(const torch::Tensor& outputs, const Batch& batch,
                     double label_smoothing) const override {
    const torch::Tensor relevant = (batch.values.narrow(1, 0, 1) > 0).to(torch::kFloat32);
    return sigmoid_loss(outputs, relevant * (1 - label_smoothing) + label_smoothing / 2);
  }

  torch::Tensor distillation(const torch::Tensor& student, const torch::Tensor& teacher,
                             const Batch& /*batch*/, double temperature) const override {
    return sigmoid_distillation(student, teacher, temperature);
  }

 protected:
  torch::Tensor answers(const torch::Tensor& outputs) const override {
    return torch::sigmoid(outputs.to(torch::kFloat32));
  }
  Measured measure(const EncodedDataset& rows, const RowOutputs& outputs) const override {
    return measure_outputs(Task::rerank, rows, outputs, {});
  }
};

}  // namespace

std::shared_ptr<const Objective> rank_objective() {
  return std::make_shared<const RankObjective>();
}

}  // namespace train
}  // namespace headroom
