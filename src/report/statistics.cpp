#include "report/statistics.h"

#include <cmath>
#include <cstddef>

namespace headroom {
namespace {

// Two-sided 97.5 % points of Student's t for 1 to 30 degrees of freedom; 1.96 beyond.
constexpr double t_points[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                               2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                               2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                               2.060,  2.056, 2.052, 2.048, 2.045, 2.042};

double t_point(size_t degrees) {
  return degrees <= 30 ? t_points[degrees - 1] : 1.96;
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

}  // namespace headroom
