// Where the panels, cells and colour bar of a heat map figure go.
#pragma once

#include <string>
#include <vector>

#include "report/plot/figure.h"
#include "report/plot/heat_map.h"

namespace headroom::report {

struct PanelLayout {
  Box cells;                // all cells of the panel together
  bool shows_rows = false;  // row labels and y label: left out where the left neighbour has them
};

struct HeatMapLayout {
  double width = 0;  // of the whole figure
  double height = 0;
  Heading heading;
  double cell_width = 0;
  double cell_height = 0;
  bool shows_numbers = false;       // whether the cells' values fit into them
  std::vector<PanelLayout> panels;  // in reading order
  Box bar;                          // to the right of the panels
};

inline constexpr double in_cell_text_size = 11;

std::string cell_text(double value, ValueFormat format);

// Throws what draw(HeatMapPanels) throws.
HeatMapLayout lay_out(const HeatMapPanels& figure);

}  // namespace headroom::report
