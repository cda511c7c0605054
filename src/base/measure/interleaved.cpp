#include "base/measure/interleaved.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <numeric>

#include "base/random.h"

namespace headroom {

std::vector<std::vector<double>> time_interleaved(
    const std::vector<std::function<void()>>& contestants, int warmup, int rounds, uint64_t seed) {
  std::vector<std::vector<double>> times(contestants.size());
  std::vector<size_t> order(contestants.size());
  std::iota(order.begin(), order.end(), 0);
  Random random{seed};
  for (int round = -warmup; round < rounds; ++round) {
    random.shuffle(order);
    for (const size_t i : order) {
      const auto started = std::chrono::steady_clock::now();
      contestants[i]();
      const std::chrono::duration<double, std::milli> taken =
          std::chrono::steady_clock::now() - started;
      if (round >= 0) times[i].push_back(taken.count());
    }
  }
  return times;
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
}

double median_ratio(const std::vector<double>& numerator, const std::vector<double>& denominator) {
  std::vector<double> ratios;
  for (size_t i = 0; i < numerator.size(); ++i) ratios.push_back(numerator[i] / denominator[i]);
  return quantile(std::move(ratios), 0.5);
}

}  // namespace headroom
