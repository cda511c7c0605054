// A tag for every word, told at its first piece: cross-entropy there, entity F1.
#include "train/heads/row_outputs.h"
#include "train/stages/losses.h"

namespace headroom {
inline namespace train {
namespace {

class TagObjective : public RowObjective {
 public:
  explicit TagObjective(std::vector<std::string> labels) : labels_(std::move(labels)) {}

  torch::Tensor loss(const torch::Tensor& outputs, const Batch& batch,
                     double label_smoothing) const override {
    return task_loss(outputs, batch.labels, label_smoothing);
  }

  torch::Tensor distillation(const torch::Tensor& student, const torch::Tensor& teacher,
                             const Batch& batch, double temperature) const override {
    const torch::Tensor first = (batch.labels >= 0).nonzero().flatten();
    return distillation_loss(student.index_select(0, first), teacher.index_select(0, first),
                             temperature);
  }

 protected:
  torch::Tensor answers(const torch::Tensor& outputs) const override {
    return torch::softmax(outputs.to(torch::kFloat32), -1);
  }
  Measured measure(const EncodedDataset& rows, const RowOutputs& outputs) const override {
    return measure_outputs(Task::tag, rows, outputs, {labels_, {}});
  }

 private:
  std::vector<std::string> labels_;
};

}  // namespace

std::shared_ptr<const Objective> tag_objective(std::vector<std::string> labels) {
  return std::make_shared<const TagObjective>(std::move(labels));
}

}  // namespace train
}  // namespace headroom
