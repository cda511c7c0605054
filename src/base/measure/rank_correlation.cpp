#include "base/measure/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace headroom {
namespace {

double product_moment(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double both = 0;
  double only_a = 0;
  double only_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - mean_a) * (b[i] - mean_b);
    only_a += (a[i] - mean_a) * (a[i] - mean_a);
    only_b += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return only_a > 0 && only_b > 0 ? both / std::sqrt(only_a * only_b) : 0;
}

// `given` other lists were held fixed.
Correlation with_interval(double value, size_t count, size_t given) {
  if (count < 5 + given) return {value, -1, 1};
  const double limited = std::clamp(value, -0.999999, 0.999999);
  const double half = 1.96 / std::sqrt(static_cast<double>(count - given) - 3);
  return {value, std::tanh(std::atanh(limited) - half), std::tanh(std::atanh(limited) + half)};
}

}  // namespace

std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double shared = static_cast<double>(begin + 1 + end) / 2;
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = shared;
    begin = end;
  }
  return ranks;
}

Correlation rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  return with_interval(product_moment(ranks_of(a), ranks_of(b)), a.size(), 0);
}

Correlation rank_correlation(const std::vector<double>& a, const std::vector<double>& b,
                             const std::vector<double>& fixed) {
  const double ab = rank_correlation(a, b).value;
  const double ac = rank_correlation(a, fixed).value;
  const double bc = rank_correlation(b, fixed).value;
  const double left = (1 - ac * ac) * (1 - bc * bc);
  return with_interval(left > 0 ? (ab - ac * bc) / std::sqrt(left) : 0, a.size(), 1);
}

}  // namespace headroom
