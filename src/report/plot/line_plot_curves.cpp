#include "report/plot/line_plot_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/join.h"
#include "report/plot/marker.h"

namespace headroom::report {
namespace {

constexpr double widest_step = 5;    // pixels between neighbouring error bars that share an x
constexpr double widest_group = 28;  // and from the first to the last of them
constexpr double same_position = 3;  // pixels; bars closer than this would hide one another
constexpr double half_cap = 2.5;     // of an error bar's end
constexpr double far_outside = 1e5;  // pixels; keeps the digits of cut-off points in bounds
constexpr size_t long_line = 40;     // points; a longer line does not get a marker at each
constexpr size_t markers_on_long_line = 16;

struct CurvePoint {
  size_t index = 0;  // into the series' columns
  double x = 0;      // pixels, after dodging
  double y = 0;
  bool gap_before = false;
  bool has_interval = false;
  double low = 0;  // pixels, when has_interval
  double high = 0;
};

using Curve = std::vector<CurvePoint>;

Curve place_points(const Series& series, const LinePlotLayout& layout) {
  const auto pixel = [](const LinearScale& scale, double value) {
    return std::clamp(scale(value), -far_outside, far_outside);
  };
  const LinearScale x_scale = layout.x_scale();
  const LinearScale y_scale = layout.y_scale();
  Curve curve;
  bool gap = false;
  for (size_t i = 0; i < series.x.size(); ++i) {
    if (!is_plottable(series.x[i]) || !is_plottable(series.y[i])) {
      gap = true;
      continue;
    }
    CurvePoint point{i, pixel(x_scale, series.x[i]), pixel(y_scale, series.y[i]), gap};
    gap = false;
    if (!series.low.empty() && is_plottable(series.low[i]) && is_plottable(series.high[i])) {
      point.has_interval = true;
      point.low = pixel(y_scale, series.low[i]);
      point.high = pixel(y_scale, series.high[i]);
    }
    curve.push_back(point);
  }
  return curve;
}

// Moves points with error bars at (nearly) the same x apart, centred on that x.
void dodge(std::vector<Curve>& curves) {
  std::vector<CurvePoint*> points;  // in series order within equal x
  for (Curve& curve : curves) {
    for (CurvePoint& point : curve) {
      if (point.has_interval) points.push_back(&point);
    }
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const CurvePoint* a, const CurvePoint* b) { return a->x < b->x; });
  std::vector<size_t> starts;  // of the groups that share a position
  double narrowest_gap = 3 * widest_group;
  size_t largest_group = 1;
  for (size_t i = 0; i < points.size(); ++i) {
    const double from_previous = i == 0 ? 0 : points[i]->x - points[i - 1]->x;
    if (i == 0 || from_previous > same_position) starts.push_back(i);
    if (from_previous > same_position) narrowest_gap = std::min(narrowest_gap, from_previous);
    largest_group = std::max(largest_group, i + 1 - starts.back());
  }
  // Groups keep more than half of the gap between them free.
  const double room = std::min(widest_group, 0.45 * narrowest_gap);
  const double step = std::min(widest_step, room / static_cast<double>(largest_group));
  starts.push_back(points.size());
  for (size_t group = 0; group + 1 < starts.size(); ++group) {
    const double middle = 0.5 * static_cast<double>(starts[group] + starts[group + 1] - 1);
    for (size_t i = starts[group]; i < starts[group + 1]; ++i) {
      points[i]->x += step * (static_cast<double>(i) - middle);
    }
  }
}

void draw_bands(SvgWriter& svg, const Curve& curve, size_t index) {
  for (size_t start = 0; start < curve.size();) {
    size_t end = start;
    while (end < curve.size() && curve[end].has_interval &&
           (end == start || !curve[end].gap_before)) {
      ++end;
    }
    if (end - start >= 2) {
      std::vector<std::string> points;
      for (size_t i = start; i < end; ++i) {
        points.push_back(fmt::format("{},{}", svg_number(curve[i].x), svg_number(curve[i].high)));
      }
      for (size_t i = end; i-- > start;) {
        points.push_back(fmt::format("{},{}", svg_number(curve[i].x), svg_number(curve[i].low)));
      }
      svg.leaf("polygon", {{"class", fmt::format("band {}", series_class(index))},
                           {"points", join(points, " ")}});
    }
    start = std::max(end, start + 1);
  }
}

void draw_line(SvgWriter& svg, const Curve& curve, size_t index) {
  std::string path;
  for (const CurvePoint& point : curve) {
    const bool starts = path.empty() || point.gap_before;
    path += fmt::format("{}{} {}", starts ? "M" : "L", svg_number(point.x), svg_number(point.y));
  }
  svg.leaf("path", {{"class", fmt::format("curve {}", series_class(index))},
                    {"stroke-dasharray", dash_pattern(index)},
                    {"d", path}});
}

void draw_error_bar(SvgWriter& svg, const CurvePoint& point, size_t index) {
  std::string path = fmt::format("M{0} {1}V{2}", svg_number(point.x), svg_number(point.low),
                                 svg_number(point.high));
  for (const double end : {point.low, point.high}) {
    path += fmt::format("M{} {}H{}", svg_number(point.x - half_cap), svg_number(end),
                        svg_number(point.x + half_cap));
  }
  svg.leaf("path", {{"class", fmt::format("interval {}", series_class(index))}, {"d", path}});
}

std::string tooltip(const LinePlot& plot, const LinePlotLayout& layout, const Series& series,
                    const CurvePoint& point) {
  const auto in_x = [&](double v) {
    return format_value(v, plot.x_format, layout.x_ticks.step / 10);
  };
  const auto in_y = [&](double v) {
    return format_value(v, plot.y_format, layout.y_ticks.step / 10);
  };
  const size_t i = point.index;
  std::string text = fmt::format("{}: {} at {}", series.name, in_y(series.y[i]), in_x(series.x[i]));
  if (point.has_interval) {
    text += fmt::format(", from {} to {}", in_y(series.low[i]), in_y(series.high[i]));
  }
  return text;
}

bool inside(const Series& series, const CurvePoint& point, const LinePlotLayout& layout) {
  return layout.x_range.contains(series.x[point.index]) &&
         layout.y_range.contains(series.y[point.index]);
}

// The plot's rectangle, widened where a point at its edge was dodged across it.
Box cutting_box(const LinePlot& plot, const LinePlotLayout& layout,
                const std::vector<Curve>& curves) {
  double left = layout.plot.x;
  double right = layout.plot.right();
  for (size_t s = 0; s < curves.size(); ++s) {
    for (const CurvePoint& point : curves[s]) {
      if (!point.has_interval || !inside(plot.series[s], point, layout)) continue;
      left = std::min(left, point.x - half_cap - 1);
      right = std::max(right, point.x + half_cap + 1);
    }
  }
  return {left, layout.plot.y, right - left, layout.plot.height};
}

// Every how many points a marker stands.
size_t marker_stride(const Series& series, const Curve& curve) {
  if (series.points_only || curve.size() <= long_line) return 1;
  return curve.size() / markers_on_long_line;
}

}  // namespace

void draw_curves(SvgWriter& svg, const LinePlot& plot, const LinePlotLayout& layout) {
  std::vector<Curve> curves;
  for (const Series& series : plot.series) curves.push_back(place_points(series, layout));
  const bool bars = plot.intervals == IntervalStyle::bars;
  if (bars) dodge(curves);

  // An inner svg element cuts off what leaves its box, and unlike a clip path it needs no id, which
  // would clash when two figures are pasted into one page.
  const Box box = cutting_box(plot, layout, curves);
  svg.open("svg", {{"x", box.x},
                   {"y", box.y},
                   {"width", box.width},
                   {"height", box.height},
                   {"viewBox", fmt::format("{} {} {} {}", svg_number(box.x), svg_number(box.y),
                                           svg_number(box.width), svg_number(box.height))}});
  for (size_t s = 0; s < curves.size() && !bars; ++s) draw_bands(svg, curves[s], s);
  for (size_t s = 0; s < curves.size(); ++s) {
    if (!plot.series[s].points_only && curves[s].size() >= 2) draw_line(svg, curves[s], s);
  }
  for (size_t s = 0; s < curves.size() && bars; ++s) {
    const size_t stride = marker_stride(plot.series[s], curves[s]);
    for (size_t i = 0; i < curves[s].size(); i += stride) {
      if (curves[s][i].has_interval) draw_error_bar(svg, curves[s][i], s);
    }
  }
  svg.close();

  // Markers on the frame stay whole: they are drawn outside the cutting box, or not at all.
  for (size_t s = 0; s < curves.size(); ++s) {
    const size_t stride = marker_stride(plot.series[s], curves[s]);
    for (size_t i = 0; i < curves[s].size(); i += stride) {
      const CurvePoint& point = curves[s][i];
      if (!inside(plot.series[s], point, layout)) continue;
      open_marker(svg, s, point.x, point.y);
      svg.text("title", {}, tooltip(plot, layout, plot.series[s], point));
      svg.close();
    }
  }
}

}  // namespace headroom::report
