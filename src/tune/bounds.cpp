#include "tune/bounds.h"

#include <algorithm>
#include <cmath>

namespace headroom {

double binomial_tail(int64_t failures, int64_t rows, double share) {
  if (failures >= rows || share <= 0) return 1;
  if (share >= 1) return 0;
  const auto n = static_cast<double>(rows);
  double tail = 0;
  for (int64_t i = 0; i <= failures; ++i) {
    const auto k = static_cast<double>(i);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                     k * std::log(share) + (n - k) * std::log1p(-share));
  }
  return std::min(tail, 1.0);
}

double upper_share(int64_t failures, int64_t rows, double certainty) {
  double below = 0;
  double above = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (below + above) / 2;
    (binomial_tail(failures, rows, middle) > 1 - certainty ? below : above) = middle;
  }
  return above;
}

bool mean_at_most(std::span<const double> values, double least, double largest, double most,
                  double certainty) {
  const double range = largest - least;
  if (range <= 0) return least <= most;
  const double mean = (most - least) / range;  // the bet's, on [0, 1]
  if (mean >= 1) return true;
  const double needed = std::log(1 / (1 - certainty));
  const auto rows = static_cast<double>(values.size());
  double capital = 0;  // its logarithm
  double sum = 0.5;    // as if one value of 1/2 and variance 1/4 had been seen
  double squares = 0.25;
  double seen = 1;
  for (const double value : values) {
    const double x = (value - least) / range;
    // The stake that is best for the variance so far, known before the value is. At three quarters
    // of what would lose everything, one bad value never ends the game.
    const double stake =
        std::min(std::sqrt(2 * needed * seen / (squares * rows)), 0.75 / (1 - mean));
    capital += std::log1p(stake * (mean - x));
    if (capital >= needed) return true;
    const double average = sum / seen;
    sum += x;
    seen += 1;
    squares += (x - average) * (x - average);
  }
  return false;
}

}  // namespace headroom
