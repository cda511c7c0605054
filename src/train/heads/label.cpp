// One label a row, and every token of a language model: cross-entropy, accuracy, perplexity.
#include <cmath>

#include "train/heads/objective.h"
#include "train/heads/rung_zero.h"
#include "train/stages/losses.h"

namespace headroom {
inline namespace train {
namespace {

class LabelObjective : public Objective {
 public:
  LabelObjective() = default;
  explicit LabelObjective(const StoredPolicy& policy) : policy_(&policy) {}

  torch::Tensor loss(const torch::Tensor& outputs, const Batch& batch,
                     double label_smoothing) const override {
    return task_loss(outputs, batch.labels, label_smoothing);
  }

  torch::Tensor distillation(const torch::Tensor& student, const torch::Tensor& teacher,
                             const Batch& /*batch*/, double temperature) const override {
    return distillation_loss(student, teacher, temperature);
  }

  using Objective::evaluate;
  Evaluation evaluate(const ModelWeights& weights, const std::vector<Batch>& batches,
                      const ForwardOptions& options,
                      const ScoreCalibration& calibration) const override {
    const torch::InferenceMode inference;
    std::vector<torch::Tensor> correct;  // put together at the end: a GPU is waited for once
    torch::Tensor loss;
    torch::Tensor examples;
    Evaluation result;
    for (const Batch& batch : batches) {
      torch::Tensor logits = calibrated(forward(weights, batch, options), calibration);
      if (policy_ != nullptr) {
        logits = with_rung_zero(logits, *policy_, calibration.lexical, batch, *batch.source);
      }
      correct.push_back(logits.argmax(-1) == batch.labels);
      const torch::Tensor sum =
          torch::cross_entropy_loss(logits, batch.labels, {}, torch::Reduction::Sum);
      loss = loss.defined() ? loss + sum : sum;
      const torch::Tensor count = (batch.labels >= 0).sum();
      examples = examples.defined() ? examples + count : count;
    }
    result.examples = examples.defined() ? examples.item<int64_t>() : 0;
    if (result.examples == 0) return result;
    const torch::Tensor hits = torch::cat(correct);
    result.accuracy = hits.sum().item<double>() / static_cast<double>(result.examples);
    result.loss = loss.item<double>() / static_cast<double>(result.examples);
    result.language = weights.head == OutputHead::language;
    result.quality = result.language ? std::exp(-result.loss) : result.accuracy;
    if (!result.language) result.correct = truths(hits);
    return result;
  }

 private:
  const StoredPolicy* policy_ = nullptr;
};

}  // namespace

std::vector<bool> truths(const torch::Tensor& flags) {
  const torch::Tensor flat = flags.to(torch::kCPU).contiguous();
  return std::vector<bool>(flat.data_ptr<bool>(), flat.data_ptr<bool>() + flat.numel());
}

std::shared_ptr<const Objective> label_objective() {
  static const auto only = std::make_shared<const LabelObjective>();
  return only;
}

std::shared_ptr<const Objective> label_objective(const StoredPolicy& policy) {
  return std::make_shared<const LabelObjective>(policy);
}

}  // namespace train
}  // namespace headroom
