// What SVG adds to markup: coordinates.
#pragma once

#include <string>

#include "report/plot/markup.h"

namespace headroom::report {

using SvgWriter = MarkupWriter;

// A coordinate to a hundredth of a pixel.
inline std::string svg_number(double value) {
  return short_number(value);
}

}  // namespace headroom::report
