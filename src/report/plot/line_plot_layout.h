// Where the parts of a line plot go. Apart from drawing, so that tests can check that the legend
// stays clear of the data.
#pragma once

#include "report/plot/axis.h"
#include "report/plot/figure.h"
#include "report/plot/line_plot.h"

namespace headroom::report {

struct LinePlotLayout {
  double width = 0;  // of the whole figure
  double height = 0;
  Heading heading;
  Box plot;    // the rectangle between the axes
  Box legend;  // to the right of the plot or below it, filled column by column
  size_t legend_rows = 0;
  double legend_column_width = 0;
  ValueRange x_range;
  ValueRange y_range;
  Ticks x_ticks;
  Ticks y_ticks;

  LinearScale x_scale() const { return {x_range, plot.x, plot.right()}; }
  LinearScale y_scale() const { return {y_range, plot.bottom(), plot.y}; }
};

inline constexpr double legend_row_height = 20;
inline constexpr double legend_key_width = 34;  // the line and marker in front of a name

// Throws what draw(LinePlot) throws.
LinePlotLayout lay_out(const LinePlot& plot);

}  // namespace headroom::report
