#include "engine/heads/classify.h"

#include <algorithm>
#include <cmath>

#include "engine/encoder/linear.h"
#include "engine/heads/logits.h"

namespace headroom {
namespace {

void activate(const Kernels& kernels, ActivationKind kind, float* values, int64_t count) {
  if (kind == ActivationKind::tanh) {
    kernels.tanh(values, count);
  } else if (kind == ActivationKind::gelu) {
    kernels.gelu(values, count);
  } else {
    std::transform(values, values + count, values, [](float x) { return std::max(x, 0.0F); });
  }
}

class ClassifyHead : public Head {
 public:
  ClassifyHead(const ModelConfig& config, const EngineWeights& weights)
      : config_(config), weights_(weights) {}

  Rows rows() const override { return Rows::first; }
  int64_t width() const override { return weights_.shape.labels; }

  void compute(const HeadInput& input, float* outputs) const override {
    const Activation& pooled = input.work.stream.x;
    apply_linear(input, weights_.pooler, input.states.operand, pooled);
    for (int64_t row = 0; row < input.rows; ++row) {
      float* values = pooled.floats() + row * pooled.stride;
      activate(input.kernels, weights_.pooler_activation, values, weights_.shape.width);
    }
    write_outputs(input, weights_.classifier, pooled, width(), outputs);
  }

  void answer(std::span<const float> logits, Answer& answer) const override {
    require_finite(logits);
    append_softmax(logits, calibration_at(config_.output.calibration, answer.budget).temperature,
                   answer.scores);
    answer.label = static_cast<size_t>(
        std::max_element(answer.scores.begin(), answer.scores.end()) - answer.scores.begin());
  }

 private:
  const ModelConfig& config_;
  const EngineWeights& weights_;
};

}  // namespace

std::unique_ptr<const Head> make_classify_head(const ModelConfig& config,
                                               const EngineWeights& weights) {
  return std::make_unique<ClassifyHead>(config, weights);
}

}  // namespace headroom
