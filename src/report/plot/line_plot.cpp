#include "report/plot/line_plot.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/plot/figure.h"
#include "report/plot/line_plot_curves.h"
#include "report/plot/line_plot_layout.h"
#include "report/plot/marker.h"
#include "report/plot/svg.h"

namespace headroom::report {
namespace {

void draw_grid(SvgWriter& svg, const LinePlot& plot, const LinePlotLayout& layout) {
  const Box& box = layout.plot;
  const LinearScale x_scale = layout.x_scale();
  const LinearScale y_scale = layout.y_scale();
  for (const double value : layout.x_ticks.values) {
    const double x = x_scale(value);
    svg.leaf("line",
             {{"class", "grid"}, {"x1", x}, {"x2", x}, {"y1", box.y}, {"y2", box.bottom()}});
    svg.text("text", {{"class", "tick middle"}, {"x", x}, {"y", box.bottom() + 18}},
             format_value(value, plot.x_format, layout.x_ticks.step));
  }
  for (const double value : layout.y_ticks.values) {
    const double y = y_scale(value);
    svg.leaf("line", {{"class", "grid"}, {"x1", box.x}, {"x2", box.right()}, {"y1", y}, {"y2", y}});
    svg.text("text", {{"class", "tick end"}, {"x", box.x - 8}, {"y", y + half_x_height}},
             format_value(value, plot.y_format, layout.y_ticks.step));
  }
}

void draw_axes(SvgWriter& svg, const LinePlot& plot, const LinePlotLayout& layout) {
  const Box& box = layout.plot;
  svg.leaf("path", {{"class", "axis"},
                    {"fill", "none"},
                    {"d", fmt::format("M{} {}V{}H{}", svg_number(box.x), svg_number(box.y),
                                      svg_number(box.bottom()), svg_number(box.right()))}});
  svg.text("text", {{"class", "middle"}, {"x", box.x + box.width / 2}, {"y", box.bottom() + 42}},
           plot.x_label);
  draw_upwards(svg, figure_margin + text_size - 2, box.y + box.height / 2, plot.y_label);
}

// Draws the part of the line inside the plot, if there is one.
void draw_reference(SvgWriter& svg, const ReferenceLine& line, size_t index,
                    const LinePlotLayout& layout) {
  const ValueRange& x = layout.x_range;
  const ValueRange& y = layout.y_range;
  ValueRange from_to_x = x;
  ValueRange from_to_y = y;
  switch (line.kind) {
    case ReferenceKind::horizontal:
      if (!y.contains(line.value)) return;
      from_to_y = {line.value, line.value};
      break;
    case ReferenceKind::vertical:
      if (!x.contains(line.value)) return;
      from_to_x = {line.value, line.value};
      break;
    case ReferenceKind::diagonal:
      from_to_x = {std::max(x.low, y.low), std::min(x.high, y.high)};
      from_to_y = from_to_x;
      if (from_to_x.span() <= 0) return;
      break;
  }
  svg.leaf("line", {{"class", "reference"},
                    {"stroke-dasharray", reference_dash_pattern(index)},
                    {"x1", layout.x_scale()(from_to_x.low)},
                    {"y1", layout.y_scale()(from_to_y.low)},
                    {"x2", layout.x_scale()(from_to_x.high)},
                    {"y2", layout.y_scale()(from_to_y.high)}});
}

void draw_legend(SvgWriter& svg, const LinePlot& plot, const LinePlotLayout& layout) {
  constexpr double key = legend_key_width - 8;
  size_t entry = 0;
  double left = 0;
  double y = 0;
  const auto place_next = [&] {
    left = layout.legend.x +
           static_cast<double>(entry / layout.legend_rows) * layout.legend_column_width;
    y = layout.legend.y +
        (static_cast<double>(entry % layout.legend_rows) + 0.5) * legend_row_height;
    ++entry;
  };
  const auto draw_key = [&](const std::string& style, std::string_view dashes) {
    svg.leaf("line", {{"class", style},
                      {"stroke-dasharray", dashes},
                      {"x1", left},
                      {"x2", left + key},
                      {"y1", y},
                      {"y2", y}});
  };
  const auto draw_name = [&](const std::string& name) {
    svg.text("text", {{"x", left + legend_key_width}, {"y", y + half_x_height}}, name);
  };
  svg.open("g", {{"class", "legend"}});
  for (size_t s = 0; s < plot.series.size(); ++s) {
    place_next();
    if (!plot.series[s].points_only) {
      draw_key(fmt::format("curve {}", series_class(s)), dash_pattern(s));
    }
    open_marker(svg, s, left + key / 2, y);
    svg.close();
    draw_name(plot.series[s].name);
  }
  for (size_t r = 0; r < plot.references.size(); ++r) {
    if (plot.references[r].name.empty()) continue;
    place_next();
    draw_key("reference", reference_dash_pattern(r));
    draw_name(plot.references[r].name);
  }
  svg.close();
}

}  // namespace

std::string draw(const LinePlot& plot) {
  const LinePlotLayout layout = lay_out(plot);
  SvgWriter svg = begin_figure(plot.title, layout.width, layout.height, layout.heading);
  draw_grid(svg, plot, layout);
  for (size_t r = 0; r < plot.references.size(); ++r) {
    draw_reference(svg, plot.references[r], r, layout);
  }
  draw_axes(svg, plot, layout);
  draw_curves(svg, plot, layout);
  draw_legend(svg, plot, layout);
  return svg.finish();
}

}  // namespace headroom::report
