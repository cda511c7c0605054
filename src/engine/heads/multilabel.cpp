#include "engine/heads/multilabel.h"

#include "engine/heads/classify.h"
#include "engine/heads/logits.h"

namespace headroom {
namespace {

class MultilabelHead : public Head {
 public:
  MultilabelHead(const ModelConfig& config, const EngineWeights& weights)
      : config_(config), classifier_(make_classify_head(config, weights)) {}

  Rows rows() const override { return classifier_->rows(); }
  int64_t width() const override { return classifier_->width(); }
  void compute(const HeadInput& input, float* outputs) const override {
    classifier_->compute(input, outputs);
  }

  void answer(const Tokens& /*input*/, std::span<const float> logits,
              Answer& answer) const override {
    require_finite(logits);
    const ScoreCalibration calibration = calibration_at(config_.output.calibration, answer.budget);
    for (size_t i = 0; i < logits.size(); ++i) {
      answer.scores.push_back(sigmoid(calibration.apply(logits[i])));
      if (answer.scores[i] >= config_.output.threshold(i)) answer.labels.push_back(i);
      if (answer.scores[i] > answer.scores[answer.label]) answer.label = i;
    }
  }

 private:
  const ModelConfig& config_;
  std::unique_ptr<const Head> classifier_;
};

}  // namespace

std::unique_ptr<const Head> make_multilabel_head(const ModelConfig& config,
                                                 const EngineWeights& weights) {
  return std::make_unique<MultilabelHead>(config, weights);
}

}  // namespace headroom
