#include "report/plot/marker.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "base/join.h"
#include "report/plot/figure.h"

namespace headroom::report {
namespace {

struct Point {
  double x;
  double y;
};

// Corners around the origin, sized so that all shapes look equally large. No corners: a circle.
const std::array<std::vector<Point>, 5>& shapes() {
  static const std::array<std::vector<Point>, 5> corners = {{
      {},
      {{-3.6, -3.6}, {3.6, -3.6}, {3.6, 3.6}, {-3.6, 3.6}},
      {{0, -5}, {4.6, 3.4}, {-4.6, 3.4}},
      {{0, -5.2}, {5.2, 0}, {0, 5.2}, {-5.2, 0}},
      {{0, 5}, {4.6, -3.4}, {-4.6, -3.4}},
  }};
  return corners;
}

constexpr std::array<std::string_view, 4> dashes = {"none", "7 3", "2 2.5", "9 3 2 3"};
constexpr std::array<std::string_view, 3> reference_dashes = {"5 4", "1.5 3", "10 4 2 4"};

}  // namespace

void open_marker(SvgWriter& svg, size_t index, double x, double y) {
  const auto& corners = shapes()[index % shapes().size()];
  const bool hollow = index / shapes().size() % 2 == 1;
  const std::string style = fmt::format("{} {}", hollow ? "hollow" : "filled", series_class(index));
  if (corners.empty()) {
    svg.open("circle", {{"class", style}, {"cx", x}, {"cy", y}, {"r", 4.0}});
    return;
  }
  std::vector<std::string> points;
  for (const Point& corner : corners) {
    points.push_back(fmt::format("{},{}", svg_number(x + corner.x), svg_number(y + corner.y)));
  }
  svg.open("polygon", {{"class", style}, {"points", join(points, " ")}});
}

size_t distinct_markers() {
  return 2 * shapes().size();  // full and hollow
}

std::string_view dash_pattern(size_t index) {
  return dashes[index % dashes.size()];
}

std::string_view reference_dash_pattern(size_t index) {
  return reference_dashes[index % reference_dashes.size()];
}

}  // namespace headroom::report
