// Any number of labels a row: a sigmoid for each, micro and macro F1.
#include "train/heads/row_outputs.h"
#include "train/stages/losses.h"

namespace headroom {
inline namespace train {
namespace {

class MultilabelObjective : public RowObjective {
 public:
  explicit MultilabelObjective(std::vector<double> thresholds)
      : thresholds_(std::move(thresholds)) {}

  // Smoothing by s moves the targets to s / 2 and 1 - s / 2.
  torch::Tensor loss(const torch::Tensor& outputs, const Batch& batch,
                     double label_smoothing) const override {
    return sigmoid_loss(outputs, batch.values * (1 - label_smoothing) + label_smoothing / 2);
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
    return measure_outputs(Task::multilabel, rows, outputs, {{}, thresholds_});
  }

 private:
  std::vector<double> thresholds_;
};

}  // namespace

std::shared_ptr<const Objective> multilabel_objective(std::vector<double> thresholds) {
  return std::make_shared<const MultilabelObjective>(std::move(thresholds));
}

}  // namespace train
}  // namespace headroom
