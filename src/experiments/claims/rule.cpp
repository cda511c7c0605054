#include "experiments/claims/rule.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/statistics.h"

namespace headroom::experiments {
namespace {

constexpr double level = 0.025;  // one-sided: the 95 % interval lies on one side
constexpr double no_spread = 1e9;

// p of "the mean is above `threshold`".
double above(const Effect& effect, double threshold) {
  if (effect.degrees <= 0) return 1;
  const double distance = effect.mean - threshold;
  if (effect.error == 0) return distance > 0 ? 0 : 1;
  return report::t_tail(distance / effect.error, effect.degrees);
}

double below(const Effect& effect, double threshold) {
  return above({-effect.mean, effect.error, effect.degrees}, -threshold);
}

double binomial(int n, int k) {
  return std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0));
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::reproduced:
      return "reproduced";
    case Verdict::partly:
      return "partly";
    case Verdict::not_reproduced:
      return "not reproduced";
    case Verdict::inconclusive:
      return "inconclusive";
  }
  return "";
}

Effect effect_of(const std::vector<double>& values, const std::string& unit) {
  const report::Estimate value = report::estimate(values);
  if (value.count == 0) return {0, 0, -1, unit};
  return {value.mean, value.deviation / std::sqrt(value.count), value.count - 1.0, unit};
}

Effect counted(double value, const std::string& unit) {
  return {value, 0, no_spread, unit, 0, Spread::counted};
}

Effect timed_once(double value, const std::string& unit) {
  return {value, 0, no_spread, unit, 0, Spread::timed_once};
}

Effect with_rows(Effect effect, const std::vector<double>& differences, double scale) {
  if (differences.size() < 2 || effect.degrees <= 0) return effect;
  const report::Estimate row = report::estimate(differences);
  const double seeds = effect.error * effect.error;
  const double rows = scale * scale * row.deviation * row.deviation / row.count;
  const double sum = seeds + rows;
  effect.rows = row.count;
  if (sum == 0) return effect;
  effect.error = std::sqrt(sum);
  effect.degrees = sum * sum / (seeds * seeds / effect.degrees + rows * rows / (row.count - 1));
  return effect;
}

Effect difference(const Effect& a, const Effect& b) {
  return {a.mean - b.mean, std::hypot(a.error, b.error), std::min(a.degrees, b.degrees), a.unit,
          std::min(a.rows, b.rows)};
}

Tails tails_of(const Effect& effect, Direction direction, double threshold) {
  if (direction == Direction::above) return {above(effect, threshold), below(effect, threshold)};
  if (direction == Direction::below) return {below(effect, threshold), above(effect, threshold)};
  return {std::max(above(effect, -threshold), below(effect, threshold)),
          std::min(1.0, 2 * std::min(above(effect, threshold), below(effect, -threshold)))};
}

Tails more_failures(int failed, int all, int other_failed, int other_all) {
  const int failures = failed + other_failed;
  const auto at_least = [&](int count, int of, int others) {
    double p = 0;
    for (int k = count; k <= std::min(failures, of); ++k) {
      if (failures - k > others) continue;
      p += binomial(of, k) * binomial(others, failures - k);
    }
    return std::min(1.0, p / binomial(of + others, failures));
  };
  return {at_least(failed, all, other_all), at_least(other_failed, other_all, all)};
}

std::vector<double> holm(const std::vector<double>& p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] < p[b]; });
  std::vector<double> corrected(p.size());
  double largest = 0;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    const auto left = static_cast<double>(p.size() - rank);
    largest = std::max(largest, std::min(1.0, left * p[order[rank]]));
    corrected[order[rank]] = largest;
  }
  return corrected;
}

Verdict verdict_of(const Tails& corrected) {
  if (corrected.supports < level) return Verdict::reproduced;
  return corrected.refutes < level ? Verdict::not_reproduced : Verdict::inconclusive;
}

Verdict combined(const std::vector<Verdict>& statements, Combination combination) {
  const auto count = [&](Verdict verdict) {
    return static_cast<size_t>(std::count(statements.begin(), statements.end(), verdict));
  };
  const size_t shown = count(Verdict::reproduced);
  const size_t refuted = count(Verdict::not_reproduced);
  if (statements.empty()) return Verdict::inconclusive;
  if (combination == Combination::any) {
    if (shown > 0) return Verdict::reproduced;
    return refuted == statements.size() ? Verdict::not_reproduced : Verdict::inconclusive;
  }
  if (shown == statements.size()) return Verdict::reproduced;
  if (shown > 0) return Verdict::partly;
  return refuted > 0 ? Verdict::not_reproduced : Verdict::inconclusive;
}

}  // namespace headroom::experiments
