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

  Rows rows() const override { return weights_.shape.mean_pooling ? Rows::pooled : Rows::first; }
  int64_t width() const override { return weights_.shape.labels; }

  void compute(const HeadInput& input, float* outputs) const override {
    if (rows() == Rows::pooled) {
      classify(mean_of(input), outputs);
    } else {
      classify(input, outputs);
    }
  }

  void answer(const Tokens& /*input*/, std::span<const float> logits,
              Answer& answer) const override {
    require_finite(logits);
    append_softmax(logits, calibration_at(config_.output.calibration, answer.budget).temperature,
                   answer.scores);
    answer.label = static_cast<size_t>(
        std::max_element(answer.scores.begin(), answer.scores.end()) - answer.scores.begin());
  }

 private:
  // The mean of a text's rows, in the tail.
  HeadInput mean_of(const HeadInput& input) const {
    const Stream& tail = input.work.tail;
    mean_of_rows(input.states.x, input.rows, weights_.shape.width, tail.x.floats());
    round_rows(input.kernels, tail, 1, weights_.shape.width);
    return {input.kernels, input.work, tail, 1};
  }

  void classify(const HeadInput& input, float* outputs) const {
    const Activation& pooled = input.work.stream.x;
    apply_linear(input, weights_.pooler, input.states.operand, pooled);
    for (int64_t row = 0; row < input.rows; ++row) {
      float* values = pooled.floats() + row * pooled.stride;
      activate(input.kernels, weights_.pooler_activation, values, weights_.shape.width);
    }
    if (!weights_.pooler_norm.weight.empty()) normalise(input, pooled);
    write_outputs(input, weights_.classifier, pooled, width(), outputs);
  }

  void normalise(const HeadInput& input, const Activation& rows) const {
    LayerNormCall call;
    call.x = rows.floats();
    call.stride = rows.stride;
    call.rows = input.rows;
    call.width = weights_.shape.width;
    call.weight = weights_.pooler_norm.weight.data();
    call.bias = weights_.pooler_norm.bias.data();
    call.eps = weights_.layer_norm_eps;
    input.kernels.layer_norm(call);
  }

  const ModelConfig& config_;
  const EngineWeights& weights_;
};

}  // namespace

std::unique_ptr<const Head> make_classify_head(const ModelConfig& config,
                                               const EngineWeights& weights) {
  return std::make_unique<ClassifyHead>(config, weights);
}

}  // namespace headroom
