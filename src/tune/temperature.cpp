#include "tune/temperature.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "budget/ladder/confidence.h"

namespace headroom {
namespace {

double cross_entropy(std::span<const Scores> scores, std::span<const Scores> targets,
                     double temperature) {
  double sum = 0;
  for (size_t row = 0; row < scores.size(); ++row) {
    Scores at = scores[row];
    apply_temperature(at, temperature);
    for (size_t i = 0; i < at.size(); ++i) {
      if (targets[row][i] > 0) sum -= targets[row][i] * std::log(std::max(at[i], 1e-300));
    }
  }
  return sum;
}

}  // namespace

double fit_temperature(std::span<const Scores> scores, std::span<const Scores> targets) {
  if (scores.empty()) return 1;
  // Cross-entropy has one minimum over 1/T: golden section over log T.
  constexpr double golden = 0.6180339887498949;
  double low = std::log(0.05);
  double high = std::log(20.0);
  double left = high - golden * (high - low);
  double right = low + golden * (high - low);
  double at_left = cross_entropy(scores, targets, std::exp(left));
  double at_right = cross_entropy(scores, targets, std::exp(right));
  while (high - low > 1e-3) {
    if (at_left < at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - golden * (high - low);
      at_left = cross_entropy(scores, targets, std::exp(left));
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + golden * (high - low);
      at_right = cross_entropy(scores, targets, std::exp(right));
    }
  }
  return std::exp((low + high) / 2);
}

double calibration_error(std::span<const Scores> scores, std::span<const int32_t> labels) {
  constexpr size_t bins = 15;
  std::array<double, bins> sure{};
  std::array<double, bins> right{};
  for (size_t row = 0; row < scores.size(); ++row) {
    const size_t best = best_label(scores[row]);
    const double top = scores[row][best];
    const size_t bin = std::min(bins - 1, static_cast<size_t>(top * bins));
    sure[bin] += top;
    right[bin] += best == static_cast<size_t>(labels[row]) ? 1 : 0;
  }
  double sum = 0;
  for (size_t bin = 0; bin < bins; ++bin) sum += std::abs(sure[bin] - right[bin]);
  return scores.empty() ? 0 : sum / static_cast<double>(scores.size());
}

}  // namespace headroom
