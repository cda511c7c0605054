// How well a passage answers a query: a sigmoid for each pair, nDCG@10 and MRR@10 of its queries.
#include "data/encoded.h"
#include "train/heads/row_outputs.h"
#include "train/stages/losses.h"

namespace headroom {
inline namespace train {
namespace {

class RankObjective : public RowObjective {
 public:
  explicit RankObjective(std::optional<TokenBm25> lexical) : lexical_(std::move(lexical)) {}

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
  torch::Tensor calibrate(const torch::Tensor& outputs, const Batch& batch,
                          const ScoreCalibration& calibration) const override {
    const torch::Tensor network = calibrated(outputs, calibration);
    if (!lexical_ || calibration.lexical == 0) return network;
    std::vector<double> scores;
    for (const int32_t row : batch.rows) {
      scores.push_back(calibration.lexical * lexical_->score(batch.source->row(row)));
    }
    const torch::Tensor added = torch::tensor(scores, torch::kFloat64).view({-1, 1});
    return network.to(torch::kCPU, torch::kFloat64) + added;
  }
  torch::Tensor answers(const torch::Tensor& outputs) const override {
    return torch::sigmoid(outputs.to(torch::kFloat32));
  }
  Measured measure(const EncodedDataset& rows, const RowOutputs& outputs) const override {
    return measure_outputs(Task::rerank, rows, outputs, {});
  }

 private:
  std::optional<TokenBm25> lexical_;
};

}  // namespace

std::shared_ptr<const Objective> rank_objective(std::optional<TokenBm25> lexical) {
  return std::make_shared<const RankObjective>(std::move(lexical));
}

}  // namespace train
}  // namespace headroom
