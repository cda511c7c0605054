#include "tune/rule.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace headroom {
namespace {

constexpr double ridge = 1e-2;
constexpr int newton_steps = 25;

using Square = std::array<RuleFeatures, rule_size>;

// Gaussian elimination; the matrix is positive definite, so no pivot is 0.
RuleFeatures solve(Square matrix, RuleFeatures right) {
  for (size_t column = 0; column < rule_size; ++column) {
    for (size_t row = column + 1; row < rule_size; ++row) {
      const double factor = matrix[row][column] / matrix[column][column];
      for (size_t i = column; i < rule_size; ++i) matrix[row][i] -= factor * matrix[column][i];
      right[row] -= factor * right[column];
    }
  }
  for (size_t row = rule_size; row-- > 0;) {
    for (size_t i = row + 1; i < rule_size; ++i) right[row] -= matrix[row][i] * right[i];
    right[row] /= matrix[row][row];
  }
  return right;
}

}  // namespace

std::vector<double> fit_rule(std::span<const RuleFeatures> features, std::span<const char> holds) {
  RuleFeatures weights{};
  for (int step = 0; step < newton_steps; ++step) {
    Square curvature{};
    RuleFeatures gradient{};
    for (size_t i = 0; i < rule_size; ++i) {
      curvature[i][i] = ridge;
      gradient[i] = ridge * weights[i];
    }
    for (size_t row = 0; row < features.size(); ++row) {
      const RuleFeatures& x = features[row];
      const double chance =
          1 / (1 + std::exp(-std::inner_product(x.begin(), x.end(), weights.begin(), 0.0)));
      const double slope = std::max(chance * (1 - chance), 1e-6);
      for (size_t i = 0; i < rule_size; ++i) {
        gradient[i] += (chance - (holds[row] != 0 ? 1 : 0)) * x[i];
        for (size_t j = 0; j < rule_size; ++j) curvature[i][j] += slope * x[i] * x[j];
      }
    }
    const RuleFeatures change = solve(curvature, gradient);
    for (size_t i = 0; i < rule_size; ++i) weights[i] -= change[i];
  }
  return {weights.begin(), weights.end()};
}

}  // namespace headroom
