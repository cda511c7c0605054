// Matrices of values from 0 to 1 as coloured cells, one or several side by side, as one standalone
// SVG. Used for the gates g(b): a row per layer, a column per head, a panel per budget.
#pragma once

#include <string>
#include <vector>

#include "report/plot/axis.h"

namespace headroom::report {

struct HeatMap {
  std::string title;
  std::string subtitle;
  std::vector<std::string> row_labels;      // first row on top
  std::vector<std::string> column_labels;   // first column on the left
  std::vector<std::vector<double>> values;  // rows x columns; NaN leaves a blank cell
  std::string x_label;
  std::string y_label;
  ValueFormat value_format = ValueFormat::plain;
};

// Small multiples that share one colour bar.
struct HeatMapPanels {
  std::string title;
  std::string subtitle;
  std::string bar_label;  // what the colour means: "gate g(b)"
  std::vector<HeatMap> panels;
};

// The SVG document. Throws ErrorCode::usage when a map has no cells, or when its labels and values
// disagree about rows or columns.
std::string draw(const HeatMap& map);
std::string draw(const HeatMapPanels& figure);

}  // namespace headroom::report
