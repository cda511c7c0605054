#include "engine/heads/tag.h"

#include "engine/heads/logits.h"

namespace headroom {
namespace {

class TagHead : public Head {
 public:
  TagHead(const ModelConfig& config, const EngineWeights& weights)
      : config_(config), weights_(weights) {}

  Rows rows() const override { return Rows::all; }
  int64_t width() const override { return weights_.shape.labels; }

  void compute(const HeadInput& input, float* outputs) const override {
    write_outputs(input, weights_.classifier, input.states.x, width(), outputs);
  }

  void answer(const Tokens& /*input*/, std::span<const float> logits,
              Answer& answer) const override {
    require_finite(logits);
    const double temperature =
        calibration_at(config_.output.calibration, answer.budget).temperature;
    const auto labels = static_cast<size_t>(width());
    answer.scores.reserve(logits.size());
    for (; !logits.empty(); logits = logits.subspan(labels)) {
      append_softmax(logits.first(labels), temperature, answer.scores);
    }
  }

 private:
  const ModelConfig& config_;
  const EngineWeights& weights_;
};

}  // namespace

std::unique_ptr<const Head> make_tag_head(const ModelConfig& config, const EngineWeights& weights) {
  return std::make_unique<TagHead>(config, weights);
}

}  // namespace headroom
