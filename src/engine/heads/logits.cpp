#include "engine/heads/logits.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "engine/encoder/linear.h"

namespace headroom {

void apply_linear(const HeadInput& input, const PackedMatrix& matrix, const Activation& x,
                  const Activation& y) {
  const GemmSegment all = {0, 0, matrix.lanes()};
  run_linear(
      input.kernels,
      {&matrix, matrix.panels(), x, input.rows, {&all, 1}, y, GemmStart::bias, GemmEpilogue::none},
      input.work.panels);
}

void write_outputs(const HeadInput& input, const PackedMatrix& matrix, const Activation& x,
                   int64_t width, float* outputs) {
  const Activation padded = {reinterpret_cast<std::byte*>(input.work.logits),
                             round_up(width, panel_width)};
  apply_linear(input, matrix, x, padded);
  for (int64_t row = 0; row < input.rows; ++row) {
    std::copy_n(padded.floats() + row * padded.stride, width, outputs + row * width);
  }
}

void require_finite(std::span<const float> outputs) {
  if (std::all_of(outputs.begin(), outputs.end(), [](float x) { return std::isfinite(x); })) return;
  throw Error(ErrorCode::bad_model, "classify",
              "the model's scores are not finite: damaged weights?");
}

void append_softmax(std::span<const float> logits, double temperature,
                    std::vector<double>& probabilities) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  const size_t first = probabilities.size();
  double sum = 0;
  for (const float logit : logits) {
    probabilities.push_back(std::exp((logit - largest) / temperature));
    sum += probabilities.back();
  }
  for (size_t i = first; i < probabilities.size(); ++i) probabilities[i] /= sum;
}

double sigmoid(double logit) {
  return 1 / (1 + std::exp(-logit));
}

}  // namespace headroom
