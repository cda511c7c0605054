// What all figures share: the style sheet for light and dark pages, the series palette, the
// heading, and how much room a text takes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/plot/svg.h"

namespace headroom::report {

// A rectangle in pixels, y downwards.
struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

inline constexpr double figure_margin = 20;  // free space along all four edges
inline constexpr double text_size = 12;      // of everything but the title

inline constexpr double half_x_height = 4;  // from a baseline to the middle of lower-case letters

// How many pixels `text` takes at most in a usual sans-serif font. An estimate on the safe side:
// the reader's font is not known when the figure is made.
double estimated_width(std::string_view text, double size = text_size);

// Title and subtitle broken into lines that fit a figure's width.
struct Heading {
  std::vector<std::string> title;
  std::vector<std::string> subtitle;
  double height = 0;  // from the upper margin to the end of the space below the heading
};
Heading lay_out_heading(std::string_view title, std::string_view subtitle, double width);

// Opens the document: root element, style sheet, background, heading. finish() ends it.
SvgWriter begin_figure(std::string_view name, double width, double height, const Heading& heading);

// For a page that shows several figures: the style sheet of all of them, and a figure without its
// own. A page is printed on white, so its dark colours are for screens.
std::string figure_style();
std::string without_style(std::string figure);

// Text centred on (x, y) that runs upwards: the title of a vertical axis.
void draw_upwards(SvgWriter& svg, double x, double y, std::string_view text);

// Style class that gives a series its colour ("series-3"); colours repeat after ten.
std::string series_class(size_t index);

}  // namespace headroom::report
