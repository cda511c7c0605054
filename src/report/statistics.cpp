#include "report/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/random.h"

namespace headroom::report {
namespace {

// Two-sided 97.5 % points of Student's t for 1 to 30 degrees of freedom; 1.96 beyond.
constexpr double t_points[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                               2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                               2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                               2.060,  2.056, 2.052, 2.048, 2.045, 2.042};

double t_point(size_t degrees) {
  return degrees <= 30 ? t_points[degrees - 1] : 1.96;
}

// Density of Student's t without its constant factor.
double t_density(double t, double degrees) {
  return std::pow(1 + t * t / degrees, -(degrees + 1) / 2);
}

}  // namespace

Estimate estimate(const std::vector<double>& values) {
  Estimate result;
  result.count = static_cast<int>(values.size());
  if (values.empty()) return result;
  const auto n = static_cast<double>(values.size());
  for (const double value : values) result.mean += value / n;
  if (values.size() < 2) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.deviation = std::sqrt(squares / (n - 1));
  result.half_width = t_point(values.size() - 1) * result.deviation / std::sqrt(n);
  return result;
}

double t_tail(double t, double degrees) {
  if (t < 0) return 1 - t_tail(-t, degrees);
  // The part of the density within [0, t], by Simpson's rule; 1e-9 for the values seen here. Far
  // out nothing is left.
  constexpr int steps = 20'000;
  const double width = std::min(t, 1e4) / steps;
  double sum = t_density(0, degrees) + t_density(steps * width, degrees);
  for (int i = 1; i < steps; ++i) sum += (i % 2 == 1 ? 4 : 2) * t_density(i * width, degrees);
  constexpr double pi = 3.14159265358979323846;
  const double factor =
      std::exp(std::lgamma((degrees + 1) / 2) - std::lgamma(degrees / 2)) / std::sqrt(degrees * pi);
  return std::clamp(0.5 - factor * sum * width / 3, 0.0, 1.0);
}

double t_test(const std::vector<double>& values) {
  const Estimate value = estimate(values);
  if (value.count < 2) return 1;
  if (value.deviation == 0) return value.mean == 0 ? 1 : 0;
  const auto n = static_cast<double>(values.size());
  return 2 * t_tail(std::abs(value.mean) / (value.deviation / std::sqrt(n)), n - 1);
}

Interval bootstrap(const std::vector<double>& values) {
  if (values.empty()) return {};
  constexpr size_t samples = 10'000;
  Random random{samples, values.size()};
  std::vector<double> means(samples);
  for (double& mean : means) {
    for (size_t i = 0; i < values.size(); ++i) {
      mean += values[random.below(values.size())] / static_cast<double>(values.size());
    }
  }
  std::sort(means.begin(), means.end());
  return {means[samples * 25 / 1000], means[samples * 975 / 1000 - 1]};
}

Interval share_interval(double share, int64_t count) {
  constexpr double z = 1.959964;  // of the normal distribution, 97.5 %
  const auto n = static_cast<double>(count);
  const double scale = 1 / (1 + z * z / n);
  const double middle = scale * (share + z * z / (2 * n));
  const double reach = scale * z * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  return {std::max(0.0, middle - reach), std::min(1.0, middle + reach)};
}

}  // namespace headroom::report
