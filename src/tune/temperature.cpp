#include "tune/temperature.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "budget/ladder/confidence.h"

namespace headroom {
namespace {

double cross_entropy(const Scores& scores, const Scores& target) {
  double sum = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (target[i] > 0) sum -= target[i] * std::log(std::max(scores[i], 1e-300));
  }
  return sum;
}

double cross_entropy(std::span<const Scores> scores, std::span<const Scores> targets,
                     double temperature) {
  double sum = 0;
  for (size_t row = 0; row < scores.size(); ++row) {
    Scores at = scores[row];
    apply_temperature(at, temperature);
    sum += cross_entropy(at, targets[row]);
  }
  return sum;
}

double log_score(double score) {
  return std::log(std::max(score, 1e-12));
}

Scores blended(const Scores& scores, const Scores& zero, const BlendFit& fit) {
  Scores both = scores;
  apply_temperature(both, fit.temperature);
  blend(both, zero, fit.weight);
  return both;
}

// Gradient and curvature of the cross-entropy in 1 / temperature and weight, summed over rows.
struct BlendSlopes {
  double gradient[2] = {0, 0};
  double curvature[3] = {0, 0, 0};  // (0,0), (0,1), (1,1)

  void add(const Scores& scores, const Scores& zero, const Scores& target, const Scores& answer) {
    double mean[2] = {0, 0};
    double square[3] = {0, 0, 0};
    for (size_t i = 0; i < scores.size(); ++i) {
      const double x = log_score(scores[i]);
      const double y = log_score(zero[i]);
      gradient[0] += (answer[i] - target[i]) * x;
      gradient[1] += (answer[i] - target[i]) * y;
      mean[0] += answer[i] * x;
      mean[1] += answer[i] * y;
      square[0] += answer[i] * x * x;
      square[1] += answer[i] * x * y;
      square[2] += answer[i] * y * y;
    }
    curvature[0] += square[0] - mean[0] * mean[0];
    curvature[1] += square[1] - mean[0] * mean[1];
    curvature[2] += square[2] - mean[1] * mean[1];
  }
};

// Nats that the blend explains the targets better by than the temperature alone.
double gain(std::span<const Scores> scores, std::span<const Scores> zero,
            std::span<const Scores> targets, const BlendFit& fit, double temperature) {
  double sum = cross_entropy(scores, targets, temperature);
  for (size_t row = 0; row < scores.size(); ++row) {
    sum -= cross_entropy(blended(scores[row], zero[row], fit), targets[row]);
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

BlendFit fit_blend(std::span<const Scores> scores, std::span<const Scores> zero,
                   std::span<const Scores> targets) {
  constexpr int newton_steps = 30;
  constexpr double ridge = 1e-6;
  const double temperature = fit_temperature(scores, targets);
  if (scores.empty()) return {temperature, 0};
  BlendFit fit{temperature, 0};
  for (int step = 0; step < newton_steps; ++step) {
    BlendSlopes slopes;
    for (size_t row = 0; row < scores.size(); ++row) {
      slopes.add(scores[row], zero[row], targets[row], blended(scores[row], zero[row], fit));
    }
    const double a = slopes.curvature[0] + ridge;
    const double b = slopes.curvature[1];
    const double c = slopes.curvature[2] + ridge;
    const double determinant = std::max(a * c - b * b, ridge * ridge);
    const double change[2] = {(c * slopes.gradient[0] - b * slopes.gradient[1]) / determinant,
                              (a * slopes.gradient[1] - b * slopes.gradient[0]) / determinant};
    const double inverse = std::clamp(1 / fit.temperature - change[0], 0.05, 20.0);
    const double weight = std::clamp(fit.weight - change[1], 0.0, 10.0);
    const bool settled =
        std::abs(weight - fit.weight) < 1e-9 && std::abs(inverse - 1 / fit.temperature) < 1e-9;
    fit = {1 / inverse, weight};
    if (settled) break;
  }
  const double price = std::log(static_cast<double>(scores.size())) / 2;
  const bool pays = fit.weight > 0 && gain(scores, zero, targets, fit, temperature) > price;
  return pays ? fit : BlendFit{temperature, 0};
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
