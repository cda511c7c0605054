#include "train/heads/self.h"

#include "data/agreement.h"
#include "train/evaluate/evaluate.h"
#include "train/heads/drawn_loss.h"
#include "train/heads/row_outputs.h"

namespace headroom {
inline namespace train {
namespace {

constexpr int rows_at_once = 64;

class SelfObjective : public Objective {
 public:
  SelfObjective(const ModelConfig& config, const ModelWeights& teacher,
                const ForwardOptions& options, const EncodedDataset& rows)
      : config_(config), inner_(objective_of(config)), rows_(rows) {
    full_ = outputs_of(teacher, evaluation_batches(rows, rows_at_once, teacher.device()), options,
                       calibration_at(config.output.calibration, 1));
  }

  torch::Tensor loss(const torch::Tensor& outputs, const Batch& batch,
                     double /*label_smoothing*/) const override {
    return drawn_loss(config_.task, outputs, batch);
  }
  torch::Tensor distillation(const torch::Tensor& student, const torch::Tensor& teacher,
                             const Batch& batch, double temperature) const override {
    return inner_->distillation(student, teacher, batch, temperature);
  }

  using Objective::evaluate;
  Evaluation evaluate(const ModelWeights& weights, const std::vector<Batch>& batches,
                      const ForwardOptions& options,
                      const ScoreCalibration& calibration) const override {
    Measured measured =
        measure_agreement(config_.task, rows_, outputs_of(weights, batches, options, calibration),
                          full_, {config_.labels, config_.output.thresholds});
    Evaluation result;
    result.loss = measured.loss;
    result.examples = measured.examples;
    result.quality = measured.values[0].value;
    result.measures = std::move(measured.values);
    return result;
  }

 private:
  RowOutputs outputs_of(const ModelWeights& weights, const std::vector<Batch>& batches,
                        const ForwardOptions& options, const ScoreCalibration& calibration) const {
    return row_outputs(batches, [&](const Batch& batch) {
      const torch::Tensor outputs =
          calibrated(forward(weights, batch, options), calibration).to(torch::kFloat32);
      switch (traits(config_.task).output) {
        case OutputForm::label:
        case OutputForm::tags:
          return torch::softmax(outputs, -1);
        case OutputForm::labels:
          return torch::sigmoid(outputs);
        default:
          return outputs;
      }
    });
  }

  ModelConfig config_;
  std::shared_ptr<const Objective> inner_;
  const EncodedDataset& rows_;
  RowOutputs full_;
};

}  // namespace

std::shared_ptr<const Objective> self_objective(const ModelConfig& config,
                                                const ModelWeights& teacher,
                                                const ForwardOptions& options,
                                                const EncodedDataset& rows) {
  return std::make_shared<const SelfObjective>(config, teacher, options, rows);
}

}  // namespace train
}  // namespace headroom
