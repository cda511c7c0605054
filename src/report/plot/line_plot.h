// Curves with markers and intervals as one standalone SVG.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/plot/axis.h"

namespace headroom::report {

// One curve. Its colour, marker and dash pattern follow from its index in LinePlot::series. A point
// with a NaN or infinite coordinate is left out, and the line has a gap there.
struct Series {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;     // as long as x
  std::vector<double> low;   // interval around y: empty, or as long as x
  std::vector<double> high;  // likewise
  bool points_only = false;  // markers without a line between them
};

enum class ReferenceKind {
  horizontal,  // y = value
  vertical,    // x = value
  diagonal,    // y = x
};

struct ReferenceLine {
  ReferenceKind kind = ReferenceKind::horizontal;
  double value = 0;  // not used by a diagonal
  std::string name;  // shown in the legend unless empty
};

enum class IntervalStyle {
  bars,  // thin error bars; where several share an x they stand side by side, with their markers
  band,  // a translucent band along the curve
};

struct LinePlot {
  std::string title;
  std::string subtitle;
  std::string x_label;
  std::string y_label;
  ValueFormat x_format = ValueFormat::plain;
  ValueFormat y_format = ValueFormat::plain;
  std::vector<Series> series;
  std::vector<ReferenceLine> references;
  IntervalStyle intervals = IntervalStyle::bars;
  bool legend_below = false;          // not to the right: for pages that may be narrow
  std::optional<ValueRange> x_range;  // default: the data with padding
  std::optional<ValueRange> y_range;  // what lies outside an explicit range is cut off
};

// The SVG document. Throws ErrorCode::usage when nothing can be drawn: no finite point, columns of
// different lengths, or an explicit range that is not one.
std::string draw(const LinePlot& plot);

}  // namespace headroom::report
