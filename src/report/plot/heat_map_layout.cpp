#include "report/plot/heat_map_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace headroom::report {
namespace {

constexpr double widest_row_of_panels = 1000;
constexpr double widest_panel = 480;
constexpr double tallest_panel = 480;
constexpr double smallest_cell = 4;
constexpr double usual_cell_height = 30;
constexpr double panel_gap = 28;
constexpr double panel_line_height = 17;  // title, subtitle, column labels, x label
constexpr double map_title_room = 24;
constexpr double label_gap = 8;
constexpr double bar_width = 14;
constexpr double shortest_bar = 110;
constexpr double bar_gap = 28;
constexpr double bar_text_room = 76;  // tick labels and the bar's title

[[noreturn]] void refuse_map(const std::string& why) {
  throw Error(ErrorCode::usage, "draw heat map", why);
}

void check(const HeatMap& map) {
  if (map.values.empty() || map.values.front().empty()) {
    refuse_map(fmt::format("\"{}\" has no cells", map.title));
  }
  if (map.values.size() != map.row_labels.size()) {
    refuse_map(fmt::format("\"{}\" has {} rows of values but {} row labels", map.title,
                           map.values.size(), map.row_labels.size()));
  }
  for (const auto& row : map.values) {
    if (row.size() == map.column_labels.size()) continue;
    refuse_map(fmt::format("\"{}\" has a row of {} values but {} column labels", map.title,
                           row.size(), map.column_labels.size()));
  }
}

// What the largest panel needs; all panels get cells of the same size.
struct Extent {
  size_t rows = 0;
  size_t columns = 0;
  double widest_number = 0;
  double row_labels = 0;  // width, with the y label
  double lines_above = 0;
  double lines_below = 1;  // column labels
};

Extent measure(const HeatMapPanels& figure) {
  Extent extent;
  for (const HeatMap& map : figure.panels) {
    extent.rows = std::max(extent.rows, map.values.size());
    extent.columns = std::max(extent.columns, map.column_labels.size());
    for (const auto& row : map.values) {
      for (const double value : row) {
        extent.widest_number =
            std::max(extent.widest_number,
                     estimated_width(cell_text(value, map.value_format), in_cell_text_size));
      }
    }
    double labels = 0;
    for (const auto& label : map.row_labels) labels = std::max(labels, estimated_width(label));
    labels += label_gap + (map.y_label.empty() ? 0 : map_title_room);
    extent.row_labels = std::max(extent.row_labels, labels);
    const double above = (map.title.empty() ? 0 : 1) + (map.subtitle.empty() ? 0 : 1);
    extent.lines_above = std::max(extent.lines_above, above);
    if (!map.x_label.empty()) extent.lines_below = 2.2;
  }
  return extent;
}

bool same_rows(const HeatMap& a, const HeatMap& b) {
  return a.row_labels == b.row_labels && a.y_label == b.y_label;
}

bool all_share_rows(const std::vector<HeatMap>& panels) {
  return std::all_of(panels.begin(), panels.end(),
                     [&](const HeatMap& map) { return same_rows(map, panels.front()); });
}

}  // namespace

std::string cell_text(double value, ValueFormat format) {
  return is_plottable(value) ? format_value(value, format, 0.01) : std::string();
}

HeatMapLayout lay_out(const HeatMapPanels& figure) {
  if (figure.panels.empty()) refuse_map("there are no panels");
  for (const HeatMap& map : figure.panels) check(map);
  const Extent extent = measure(figure);

  HeatMapLayout layout;
  const double columns = static_cast<double>(extent.columns);
  const double rows = static_cast<double>(extent.rows);
  const double wanted = std::clamp(extent.widest_number + 6, 28.0, 48.0);
  layout.cell_width = std::clamp(widest_panel / columns, smallest_cell, wanted);
  layout.cell_height = std::clamp(tallest_panel / rows, smallest_cell, usual_cell_height);
  layout.shows_numbers =
      extent.widest_number + 2 <= layout.cell_width && in_cell_text_size + 2 <= layout.cell_height;

  const double cells_width = columns * layout.cell_width;
  const double cells_height = rows * layout.cell_height;
  const bool shared = all_share_rows(figure.panels);
  const double first_width = extent.row_labels + cells_width;
  const double next_width = panel_gap + cells_width + (shared ? 0 : extent.row_labels);
  const double more = std::floor((widest_row_of_panels - first_width) / next_width);
  const size_t per_row = 1 + static_cast<size_t>(std::max(0.0, more));
  const size_t in_first_row = std::min(per_row, figure.panels.size());

  const double panels_width = first_width + static_cast<double>(in_first_row - 1) * next_width;
  const double bar_x = figure_margin + panels_width + bar_gap;
  layout.width = std::ceil(bar_x + bar_width + bar_text_room + figure_margin);
  layout.heading = lay_out_heading(figure.title, figure.subtitle, layout.width);

  const double above = panel_line_height * extent.lines_above;
  const double below = label_gap + panel_line_height * extent.lines_below;
  const double row_height = above + cells_height + below + panel_gap;
  const double top = figure_margin + layout.heading.height + above;
  for (size_t p = 0; p < figure.panels.size(); ++p) {
    const size_t column = p % per_row;
    const size_t row = p / per_row;
    const HeatMap& map = figure.panels[p];
    const Box cells = {figure_margin + extent.row_labels + static_cast<double>(column) * next_width,
                       top + static_cast<double>(row) * row_height,
                       static_cast<double>(map.column_labels.size()) * layout.cell_width,
                       static_cast<double>(map.values.size()) * layout.cell_height};
    layout.panels.push_back({cells, column == 0 || !shared});
  }
  layout.bar = {bar_x, top, bar_width, std::max(shortest_bar, cells_height)};
  const double last_bottom = layout.panels.back().cells.y + cells_height + below;
  layout.height = std::ceil(std::max(last_bottom, layout.bar.bottom()) + figure_margin);
  return layout;
}

}  // namespace headroom::report
