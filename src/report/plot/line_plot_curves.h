// The data inside a line plot's frame: bands, lines, error bars and markers.
#pragma once

#include "report/plot/line_plot.h"
#include "report/plot/line_plot_layout.h"
#include "report/plot/svg.h"

namespace headroom::report {

void draw_curves(SvgWriter& svg, const LinePlot& plot, const LinePlotLayout& layout);

}  // namespace headroom::report
