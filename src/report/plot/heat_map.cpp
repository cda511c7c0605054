#include "report/plot/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/plot/colour_ramp.h"
#include "report/plot/figure.h"
#include "report/plot/heat_map_layout.h"
#include "report/plot/svg.h"

namespace headroom::report {
namespace {

constexpr int bar_stripes = 64;

// Every how many labels one is shown, so that neighbours do not touch.
size_t label_stride(double label_size, double cell_size) {
  return static_cast<size_t>(std::max(1.0, std::ceil(label_size / cell_size)));
}

void draw_cell(SvgWriter& svg, const HeatMap& map, size_t row, size_t column, const Box& cell,
               bool with_number) {
  const double value = map.values[row][column];
  const bool known = is_plottable(value);
  const std::string text = cell_text(value, map.value_format);
  // Half a pixel less on each side leaves a thin line of background between cells.
  svg.open("rect", {{"class", known ? "cell" : "cell missing"},
                    {"x", cell.x + 0.5},
                    {"y", cell.y + 0.5},
                    {"width", cell.width - 1},
                    {"height", cell.height - 1},
                    {"fill", known ? ramp_colour(value) : "none"}});
  svg.text("title", {},
           fmt::format("{}, {}: {}", map.row_labels[row], map.column_labels[column],
                       known ? text : "no value"));
  svg.close();
  if (!known || !with_number) return;
  svg.text("text",
           {{"class", "in-cell"},
            {"x", cell.x + cell.width / 2},
            {"y", cell.y + cell.height / 2 + half_x_height},
            {"style", fmt::format("fill:{}", text_colour_on_ramp(value))}},
           text);
}

void draw_labels(SvgWriter& svg, const HeatMap& map, const PanelLayout& panel,
                 const HeatMapLayout& layout) {
  const Box& cells = panel.cells;
  double widest = 0;
  for (const auto& label : map.column_labels) widest = std::max(widest, estimated_width(label));
  const size_t column_stride = label_stride(widest + 4, layout.cell_width);
  for (size_t c = 0; c < map.column_labels.size(); c += column_stride) {
    const double x = cells.x + (static_cast<double>(c) + 0.5) * layout.cell_width;
    svg.text("text", {{"class", "tick middle"}, {"x", x}, {"y", cells.bottom() + 17}},
             map.column_labels[c]);
  }
  svg.text("text",
           {{"class", "middle"}, {"x", cells.x + cells.width / 2}, {"y", cells.bottom() + 38}},
           map.x_label);
  if (!panel.shows_rows) return;
  const size_t row_stride = label_stride(text_size + 2, layout.cell_height);
  widest = 0;
  for (const auto& label : map.row_labels) widest = std::max(widest, estimated_width(label));
  for (size_t r = 0; r < map.row_labels.size(); r += row_stride) {
    const double y = cells.y + (static_cast<double>(r) + 0.5) * layout.cell_height;
    svg.text("text", {{"class", "tick end"}, {"x", cells.x - 8}, {"y", y + half_x_height}},
             map.row_labels[r]);
  }
  draw_upwards(svg, cells.x - 8 - widest - 10, cells.y + cells.height / 2, map.y_label);
}

void draw_panel(SvgWriter& svg, const HeatMap& map, const PanelLayout& panel,
                const HeatMapLayout& layout) {
  double baseline = panel.cells.y - 8;
  if (!map.subtitle.empty()) {
    svg.text("text", {{"class", "subtitle"}, {"x", panel.cells.x}, {"y", baseline}}, map.subtitle);
    baseline -= 17;
  }
  if (!map.title.empty()) {
    svg.text("text", {{"class", "panel-title"}, {"x", panel.cells.x}, {"y", baseline}}, map.title);
  }
  for (size_t r = 0; r < map.values.size(); ++r) {
    for (size_t c = 0; c < map.values[r].size(); ++c) {
      const Box cell = {panel.cells.x + static_cast<double>(c) * layout.cell_width,
                        panel.cells.y + static_cast<double>(r) * layout.cell_height,
                        layout.cell_width, layout.cell_height};
      draw_cell(svg, map, r, c, cell, layout.shows_numbers);
    }
  }
  draw_labels(svg, map, panel, layout);
}

void draw_bar(SvgWriter& svg, const HeatMapPanels& figure, const HeatMapLayout& layout) {
  const Box& bar = layout.bar;
  const ValueFormat format = figure.panels.front().value_format;
  const ValueRange range = {0, 1};
  const LinearScale scale(range, bar.bottom(), bar.y);
  svg.open("g", {{"class", "bar"}, {"shape-rendering", "crispEdges"}});
  for (int i = 0; i < bar_stripes; ++i) {
    const double top = bar.y + bar.height * i / bar_stripes;
    // A stripe reaches to the bar's end, under those that follow: no seams between them.
    svg.leaf("rect", {{"x", bar.x},
                      {"y", top},
                      {"width", bar.width},
                      {"height", bar.bottom() - top},
                      {"fill", ramp_colour(1 - (i + 0.5) / bar_stripes)}});
  }
  svg.close();
  const Ticks ticks = round_ticks(range, 6);
  double widest = 0;
  for (const double value : ticks.values) {
    const std::string text = format_value(value, format, ticks.step);
    const double y = scale(value);
    svg.leaf(
        "line",
        {{"class", "axis"}, {"x1", bar.right()}, {"x2", bar.right() + 4}, {"y1", y}, {"y2", y}});
    svg.text("text", {{"class", "tick"}, {"x", bar.right() + 8}, {"y", y + half_x_height}}, text);
    widest = std::max(widest, estimated_width(text));
  }
  draw_upwards(svg, bar.right() + 8 + widest + 16, bar.y + bar.height / 2, figure.bar_label);
}

}  // namespace

std::string draw(const HeatMapPanels& figure) {
  const HeatMapLayout layout = lay_out(figure);
  SvgWriter svg = begin_figure(figure.title, layout.width, layout.height, layout.heading);
  for (size_t p = 0; p < figure.panels.size(); ++p) {
    draw_panel(svg, figure.panels[p], layout.panels[p], layout);
  }
  draw_bar(svg, figure, layout);
  return svg.finish();
}

std::string draw(const HeatMap& map) {
  HeatMapPanels figure{map.title, map.subtitle, "", {map}};
  figure.panels.front().title.clear();
  figure.panels.front().subtitle.clear();
  return draw(figure);
}

}  // namespace headroom::report
