#include "report/plot/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace headroom::report {
namespace {

constexpr double largest_plottable = 1e100;
constexpr int most_decimals = 9;

// Index of the first multiple of `step` that is not below `value`; a tick that misses the range
// only by rounding counts as inside.
double first_index(double value, double step) {
  return std::ceil(value / step - 1e-9);
}

double last_index(double value, double step) {
  return std::floor(value / step + 1e-9);
}

int decimals_for(double step) {
  int decimals = 0;
  while (decimals < most_decimals && std::abs(step - std::round(step)) > 1e-6 * step) {
    step *= 10;
    ++decimals;
  }
  return decimals;
}

}  // namespace

bool is_plottable(double value) {
  return std::abs(value) < largest_plottable;  // false for NaN
}

void RangeFinder::add(double value) {
  if (!is_plottable(value)) return;
  range_ = empty_ ? ValueRange{value, value}
                  : ValueRange{std::min(range_.low, value), std::max(range_.high, value)};
  empty_ = false;
}

ValueRange RangeFinder::padded(double padding) const {
  const double largest = std::max(std::abs(range_.low), std::abs(range_.high));
  // A span that is nothing but rounding would give ticks that all read the same.
  if (range_.span() <= 1e-6 * largest) {
    const double room = largest > 0 ? 0.05 * largest : 0.5;
    return {range_.low - room, range_.high + room};
  }
  return {range_.low - padding * range_.span(), range_.high + padding * range_.span()};
}

double LinearScale::operator()(double value) const {
  return from_ + (value - range_.low) / range_.span() * (to_ - from_);
}

Ticks round_ticks(ValueRange range, int at_most, ValueFormat format) {
  const double power = std::pow(10.0, std::floor(std::log10(range.span() / at_most)));
  // span / at_most lies in [power, 10 power), so one of these always leaves few enough ticks.
  constexpr std::array<double, 5> multiples = {1, 2, 5, 10, 20};
  double step = power;
  for (const double multiple : multiples) {
    step = multiple * power;
    if (last_index(range.high, step) - first_index(range.low, step) + 1 <= at_most) break;
  }
  if (format == ValueFormat::whole || format == ValueFormat::exponent) step = std::max(step, 1.0);
  Ticks ticks{{}, step};
  const auto first = static_cast<int64_t>(first_index(range.low, step));
  const auto last = static_cast<int64_t>(last_index(range.high, step));
  for (int64_t index = first; index <= last; ++index) {
    ticks.values.push_back(std::clamp(static_cast<double>(index) * step, range.low, range.high));
  }
  return ticks;
}

std::string format_value(double value, ValueFormat format, double step) {
  if (format == ValueFormat::exponent) {
    const double power = std::pow(10.0, value);
    return power < 100 ? fmt::format("{:.3g}", power) : fmt::format("{:.0f}", power);
  }
  const double scale = format == ValueFormat::percent ? 100 : 1;
  const int decimals = decimals_for(scale * step);
  const double shown = scale * value;
  std::string text;
  if (std::abs(shown) >= 1e7 || decimals == most_decimals) {
    text = fmt::format("{:.6g}", shown);
  } else {
    text = fmt::format("{:.{}f}", shown, decimals);
  }
  if (text.find_first_not_of("-0.") == std::string::npos && text.front() == '-') text.erase(0, 1);
  if (format == ValueFormat::percent) text += "%";
  if (format == ValueFormat::speed_up) text += "x";
  return text;
}

}  // namespace headroom::report
