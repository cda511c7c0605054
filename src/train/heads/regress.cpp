// A number: squared error, Spearman's rank correlation. The network learns numbers of mean 0 and
// spread 1, whatever the data's are; number_in_units() then moves the scale into its last layer.
#include "train/heads/regress.h"

#include "train/heads/row_outputs.h"

namespace headroom {
inline namespace train {
namespace {

class NumberObjective : public RowObjective {
 public:
  NumberObjective(double mean, double scale) : mean_(mean), scale_(scale) {}

  torch::Tensor loss(const torch::Tensor& outputs, const Batch& batch,
                     double /*label_smoothing*/) const override {
    return torch::mse_loss(outputs.to(torch::kFloat32), (batch.values - mean_) / scale_);
  }

  torch::Tensor distillation(const torch::Tensor& student, const torch::Tensor& teacher,
                             const Batch& /*batch*/, double /*temperature*/) const override {
    return torch::mse_loss(student.to(torch::kFloat32), teacher.detach().to(torch::kFloat32));
  }

 protected:
  torch::Tensor answers(const torch::Tensor& outputs) const override {
    return outputs.to(torch::kFloat32) * scale_ + mean_;
  }
  Measured measure(const EncodedDataset& rows, const RowOutputs& outputs) const override {
    return measure_outputs(Task::regress, rows, outputs, {});
  }

 private:
  double mean_, scale_;
};

}  // namespace

std::shared_ptr<const Objective> number_objective(double mean, double scale) {
  return std::make_shared<const NumberObjective>(mean, scale);
}

NumberScale number_scale(const EncodedDataset& rows) {
  double sum = 0;
  for (const float value : rows.values) sum += value;
  const auto count = static_cast<double>(rows.values.size());
  const double mean = sum / count;
  double squares = 0;
  for (const float value : rows.values) squares += (value - mean) * (value - mean);
  const double spread = std::sqrt(squares / count);
  return {mean, spread > 0 ? spread : 1};
}

void number_in_units(const NumberScale& scale, ModelWeights& weights) {
  const torch::NoGradGuard no_gradients;
  weights.classifier.weight.mul_(scale.spread);
  weights.classifier.bias.mul_(scale.spread).add_(scale.mean);
}

}  // namespace train
}  // namespace headroom
