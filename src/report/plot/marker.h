// Marker shapes and dash patterns, so that series differ even without colour.
#pragma once

#include <cstddef>
#include <string_view>

#include "report/plot/svg.h"

namespace headroom::report {

// Draws the marker of series `index` centred on (x, y): five shapes, filled, then hollow. Opens the
// element; the caller may add a tooltip and must close it.
void open_marker(SvgWriter& svg, size_t index, double x, double y);

// How many indices look different.
size_t distinct_markers();

// Value of stroke-dasharray; "none" for a solid line.
std::string_view dash_pattern(size_t index);
std::string_view reference_dash_pattern(size_t index);

}  // namespace headroom::report
