#include "engine/heads/classify.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "engine/encoder/linear.h"

namespace headroom {
namespace {

// y = x W + b
void apply(const HeadInput& input, const PackedMatrix& matrix, const Activation& x,
           const Activation& y) {
  const GemmSegment all = {0, 0, matrix.lanes()};
  run_linear(
      input.kernels,
      {&matrix, matrix.panels(), x, input.rows, {&all, 1}, y, GemmStart::bias, GemmEpilogue::none},
      input.work.panels);
}

class ClassifyHead : public Head {
 public:
  explicit ClassifyHead(const EngineWeights& weights) : weights_(weights) {}

  Rows rows() const override { return Rows::first; }
  int64_t width() const override { return weights_.shape.labels; }

  void compute(const HeadInput& input, float* outputs) const override {
    const Activation& pooled = input.work.stream.x;
    apply(input, weights_.pooler, input.states.operand, pooled);
    for (int64_t row = 0; row < input.rows; ++row) {
      float* values = pooled.floats() + row * pooled.stride;
      if (weights_.pooler_activation == PoolerActivation::tanh) {
        input.kernels.tanh(values, weights_.shape.width);
      } else {
        std::transform(values, values + weights_.shape.width, values,
                       [](float x) { return std::max(x, 0.0F); });
      }
    }
    const Activation logits = {reinterpret_cast<std::byte*>(input.work.logits),
                               round_up(width(), panel_width)};
    apply(input, weights_.classifier, pooled, logits);
    for (int64_t row = 0; row < input.rows; ++row) {
      std::copy_n(logits.floats() + row * logits.stride, width(), outputs + row * width());
    }
  }

  void answer(std::span<const float> logits, Answer& answer) const override {
    if (!std::all_of(logits.begin(), logits.end(), [](float x) { return std::isfinite(x); })) {
      throw Error(ErrorCode::bad_model, "classify",
                  "the model's scores are not finite: damaged weights?");
    }
    const double largest = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const float logit : logits) {
      answer.scores.push_back(std::exp(logit - largest));
      sum += answer.scores.back();
    }
    for (double& score : answer.scores) score /= sum;
    answer.label = static_cast<size_t>(
        std::max_element(answer.scores.begin(), answer.scores.end()) - answer.scores.begin());
  }

 private:
  const EngineWeights& weights_;
};

}  // namespace

std::unique_ptr<const Head> make_classify_head(const EngineWeights& weights) {
  return std::make_unique<ClassifyHead>(weights);
}

}  // namespace headroom
