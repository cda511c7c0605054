#include "report/plot/line_plot_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/error.h"

namespace headroom::report {
namespace {

constexpr double plot_width = 540;
constexpr double plot_height = 350;
constexpr double legend_gap = 32;       // more than dodged error bars can stick out
constexpr double axis_title_room = 24;  // an axis title and the space around it
constexpr double tick_label_gap = 8;
constexpr double x_padding = 0.05;
constexpr double y_padding = 0.06;
constexpr int most_x_ticks = 11;
constexpr int most_y_ticks = 8;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::usage, "draw line plot", why);
}

void check_columns(const Series& series) {
  const auto check = [&](std::string_view column, size_t length) {
    if (length == series.x.size()) return;
    refuse(fmt::format("series \"{}\" has {} x values but {} {} values", series.name,
                       series.x.size(), length, column));
  };
  check("y", series.y.size());
  if (series.low.empty() && series.high.empty()) return;
  check("low", series.low.size());
  check("high", series.high.size());
}

void check_range(const ValueRange& range, std::string_view axis) {
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  const bool plottable = is_plottable(range.low) && is_plottable(range.high);
  if (plottable && range.span() > 1e-9 * largest) return;
  refuse(fmt::format("the {} range from {} to {} is empty or not finite", axis, range.low,
                     range.high));
}

struct DataRanges {
  RangeFinder x;
  RangeFinder y;
};

DataRanges find_ranges(const LinePlot& plot) {
  DataRanges found;
  for (const Series& series : plot.series) {
    for (size_t i = 0; i < series.x.size(); ++i) {
      if (!is_plottable(series.x[i]) || !is_plottable(series.y[i])) continue;
      found.x.add(series.x[i]);
      found.y.add(series.y[i]);
      if (series.low.empty()) continue;
      found.y.add(series.low[i]);
      found.y.add(series.high[i]);
    }
  }
  if (found.x.empty()) refuse("no series has a point with finite coordinates");
  for (const ReferenceLine& line : plot.references) {
    if (line.kind == ReferenceKind::horizontal) found.y.add(line.value);
    if (line.kind == ReferenceKind::vertical) found.x.add(line.value);
  }
  return found;
}

double widest_tick_label(const Ticks& ticks, ValueFormat format) {
  double widest = 0;
  for (const double value : ticks.values) {
    widest = std::max(widest, estimated_width(format_value(value, format, ticks.step)));
  }
  return widest;
}

// How many columns and rows the legend has, and its size; the place depends on the plot's.
void size_legend(const LinePlot& plot, LinePlotLayout& layout) {
  double widest = 0;
  size_t count = 0;
  const auto add = [&](const std::string& name) {
    widest = std::max(widest, estimated_width(name));
    ++count;
  };
  for (const Series& series : plot.series) add(series.name);
  for (const ReferenceLine& line : plot.references) {
    if (!line.name.empty()) add(line.name);
  }
  const double entry = legend_key_width + widest;
  const double fitting = std::floor((plot_width + legend_gap) / (entry + legend_gap));
  const size_t columns = plot.legend_below ? static_cast<size_t>(std::max(1.0, fitting)) : 1;
  layout.legend_rows = (count + columns - 1) / columns;
  layout.legend_column_width = entry + legend_gap;
  layout.legend.width = static_cast<double>(columns - 1) * layout.legend_column_width + entry;
  layout.legend.height = legend_row_height * static_cast<double>(layout.legend_rows);
}

}  // namespace

LinePlotLayout lay_out(const LinePlot& plot) {
  for (const Series& series : plot.series) check_columns(series);
  const DataRanges found = find_ranges(plot);
  if (plot.x_range) check_range(*plot.x_range, "x");
  if (plot.y_range) check_range(*plot.y_range, "y");

  LinePlotLayout layout;
  layout.x_range = plot.x_range.value_or(found.x.padded(x_padding));
  layout.y_range = plot.y_range.value_or(found.y.padded(y_padding));
  layout.x_ticks = round_ticks(layout.x_range, most_x_ticks, plot.x_format);
  layout.y_ticks = round_ticks(layout.y_range, most_y_ticks, plot.y_format);

  const double left = figure_margin + axis_title_room + tick_label_gap +
                      widest_tick_label(layout.y_ticks, plot.y_format);
  size_legend(plot, layout);
  const double right_of_plot = legend_gap + layout.legend.width;
  const double needed =
      plot.legend_below ? std::max(plot_width, layout.legend.width) : plot_width + right_of_plot;
  layout.width = std::ceil(left + needed + figure_margin);
  layout.heading = lay_out_heading(plot.title, plot.subtitle, layout.width);
  layout.plot = {left, figure_margin + layout.heading.height, plot_width, plot_height};
  const double below_axis = layout.plot.bottom() + tick_label_gap + text_size + axis_title_room;
  layout.legend.x = plot.legend_below ? layout.plot.x : layout.plot.right() + legend_gap;
  layout.legend.y = plot.legend_below ? below_axis + legend_row_height / 2 : layout.plot.y;
  layout.height = std::ceil(std::max(below_axis, layout.legend.bottom()) + figure_margin);
  return layout;
}

}  // namespace headroom::report
