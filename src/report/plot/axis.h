// Linear axes: ranges that fit the data, ticks at round numbers, and how values are written.
#pragma once

#include <string>
#include <vector>

namespace headroom::report {

enum class ValueFormat {
  plain,     // 0.25 as "0.25"
  percent,   // 0.25 as "25%"
  speed_up,  // 1.5 as "1.5x"
  whole,     // counts: no ticks between them
  exponent,  // 2 as "100": a logarithmic axis, of values that are given as their log10
};

// Neither NaN nor infinite nor so large that a span of two such values overflows.
bool is_plottable(double value);

struct ValueRange {
  double low = 0;
  double high = 1;

  bool contains(double value) const { return value >= low && value <= high; }
  double span() const { return high - low; }
};

// Collects the values that an axis must show; those that are not plottable are ignored.
class RangeFinder {
 public:
  void add(double value);
  bool empty() const { return empty_; }
  // The values with `padding` x span free on both sides. A single value gets room around it.
  ValueRange padded(double padding) const;

 private:
  bool empty_ = true;
  ValueRange range_;
};

// Maps values to pixels; `from` is the pixel of range.low (larger than `to` on a y axis).
class LinearScale {
 public:
  LinearScale(ValueRange range, double from, double to) : range_(range), from_(from), to_(to) {}

  double operator()(double value) const;
  const ValueRange& range() const { return range_; }

 private:
  ValueRange range_;
  double from_;
  double to_;
};

struct Ticks {
  std::vector<double> values;  // multiples of step, all inside the range
  double step = 1;             // 1, 2 or 5 times a power of ten
};

// At most `at_most` (2 or more) ticks, as many as the round steps and the format allow.
Ticks round_ticks(ValueRange range, int at_most, ValueFormat format = ValueFormat::plain);

// `value` with as many decimals as multiples of `step` need.
std::string format_value(double value, ValueFormat format, double step);

}  // namespace headroom::report
