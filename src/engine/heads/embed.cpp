#include "engine/heads/embed.h"

#include <algorithm>

#include "engine/answers/vectors.h"
#include "engine/heads/logits.h"

namespace headroom {
namespace {

class EmbedHead : public Head {
 public:
  EmbedHead(const ModelConfig& config, const EngineWeights& weights)
      : vector_(config.output.vector), weights_(weights) {}

  Rows rows() const override {
    return vector_.pooling == Pooling::cls ? Rows::first : Rows::pooled;
  }
  int64_t width() const override { return weights_.shape.vector_width(); }

  void compute(const HeadInput& input, float* outputs) const override {
    if (rows() == Rows::first) {
      write_vectors(input, input.states.x, outputs);
      return;
    }
    const Activation& pooled = input.work.tail.x;
    pool(input, pooled.floats());
    write_vectors({input.kernels, input.work, input.states, 1}, pooled, outputs);
  }

  void answer(const Tokens& /*input*/, std::span<const float> outputs,
              Answer& answer) const override {
    require_finite(outputs);
    answer.embedding.assign(outputs.begin(), outputs.end());
    if (vector_.normalize) normalise_vector(answer.embedding);
  }

 private:
  // Sums in double: the mean of hundreds of rows keeps the precision of one.
  void pool(const HeadInput& input, float* pooled) const {
    const Activation& x = input.states.x;
    for (int64_t d = 0; d < weights_.shape.width; ++d) {
      double sum = 0;
      float largest = x.floats()[d];
      for (int64_t row = 0; row < input.rows; ++row) {
        const float value = x.floats()[row * x.stride + d];
        sum += value;
        largest = std::max(largest, value);
      }
      const auto mean = static_cast<float>(sum / static_cast<double>(input.rows));
      pooled[d] = vector_.pooling == Pooling::mean ? mean : largest;
    }
  }

  void write_vectors(const HeadInput& input, const Activation& pooled, float* outputs) const {
    if (weights_.shape.dense == 0) {
      for (int64_t row = 0; row < input.rows; ++row) {
        std::copy_n(pooled.floats() + row * pooled.stride, width(), outputs + row * width());
      }
      return;
    }
    write_outputs(input, weights_.dense, pooled, width(), outputs);
    if (vector_.activation == DenseActivation::tanh) {
      for (int64_t row = 0; row < input.rows; ++row) {
        input.kernels.tanh(outputs + row * width(), width());
      }
    }
  }

  const VectorConfig& vector_;
  const EngineWeights& weights_;
};

}  // namespace

std::unique_ptr<const Head> make_embed_head(const ModelConfig& config,
                                            const EngineWeights& weights) {
  return std::make_unique<EmbedHead>(config, weights);
}

}  // namespace headroom
