#include "engine/heads/score.h"

#include "engine/heads/classify.h"
#include "engine/heads/logits.h"

namespace headroom {
namespace {

class ScoreHead : public Head {
 public:
  ScoreHead(const ModelConfig& config, const EngineWeights& weights, bool ranking)
      : config_(config), classifier_(make_classify_head(config, weights)), ranking_(ranking) {}

  Rows rows() const override { return classifier_->rows(); }
  int64_t width() const override { return classifier_->width(); }
  void compute(const HeadInput& input, float* outputs) const override {
    classifier_->compute(input, outputs);
  }

  void answer(const Tokens& input, std::span<const float> logits, Answer& answer) const override {
    require_finite(logits);
    const ScoreCalibration at = calibration_at(config_.output.calibration, answer.budget);
    answer.logit = at.apply(logits[0]) + config_.output.lexical_score(at, input.ids);
    answer.score = ranking_ ? sigmoid(answer.logit) : answer.logit;
  }

 private:
  const ModelConfig& config_;
  std::unique_ptr<const Head> classifier_;
  bool ranking_;
};

}  // namespace

std::unique_ptr<const Head> make_number_head(const ModelConfig& config,
                                             const EngineWeights& weights) {
  return std::make_unique<ScoreHead>(config, weights, /*ranking=*/false);
}

std::unique_ptr<const Head> make_ranking_head(const ModelConfig& config,
                                              const EngineWeights& weights) {
  return std::make_unique<ScoreHead>(config, weights, /*ranking=*/true);
}

}  // namespace headroom
