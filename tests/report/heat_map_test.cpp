#include "report/plot/heat_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "report/plot/colour_ramp.h"
#include "report/plot/heat_map_layout.h"
#include "report/xml.h"
#include "support.h"

namespace headroom::report {
namespace {
using testing::expect_error;
using testing::shows;
using testing::with_class;
using testing::XmlElement;

HeatMap map_of(size_t rows, size_t columns, double value = 0.37) {
  HeatMap map;
  map.title = "gates";
  map.x_label = "head";
  map.y_label = "layer";
  for (size_t r = 0; r < rows; ++r) map.row_labels.push_back("L" + std::to_string(r));
  for (size_t c = 0; c < columns; ++c) map.column_labels.push_back("H" + std::to_string(c));
  map.values.assign(rows, std::vector<double>(columns, value));
  return map;
}

HeatMapPanels panels_of(size_t count) {
  return {"Gates", "three budgets", "gate g(b)", std::vector<HeatMap>(count, map_of(4, 8))};
}

TEST(HeatMap, HasOneCellPerValue) {
  EXPECT_EQ(with_class(draw(map_of(4, 8)), "cell").size(), 32U);
  EXPECT_EQ(with_class(draw(panels_of(3)), "cell").size(), 96U);
}

TEST(HeatMap, LabelsTitlesAndNumbersAppear) {
  const std::string svg = draw(map_of(2, 3));
  for (const char* text : {"gates", "head", "layer", "L0", "L1", "H0", "H2", "0.37"}) {
    EXPECT_TRUE(shows(svg, text)) << text;
  }
}

TEST(HeatMap, ValuesFollowTheirFormat) {
  HeatMap map = map_of(1, 1);
  map.value_format = ValueFormat::percent;
  EXPECT_TRUE(shows(draw(map), "37%"));
  EXPECT_TRUE(shows(draw(map), "100%")) << "colour bar";
}

TEST(HeatMap, NumbersAreLeftOutWhenTheyDoNotFit) {
  EXPECT_TRUE(with_class(draw(map_of(4, 64)), "in-cell").empty());
  EXPECT_EQ(with_class(draw(map_of(4, 8)), "in-cell").size(), 32U);
}

TEST(HeatMap, LabelsOfNarrowColumnsDoNotTouch) {
  const HeatMap map = map_of(2, 64);
  double previous = -1e9;
  for (const XmlElement& label : with_class(draw(map), "tick")) {
    if (label.text.front() != 'H') continue;
    EXPECT_GT(label.number("x") - previous, estimated_width(label.text));
    previous = label.number("x");
  }
}

TEST(HeatMap, AMissingValueIsABlankCell) {
  HeatMap map = map_of(2, 2);
  map.values[0][1] = std::nan("");
  map.values[1][0] = -INFINITY;
  const std::string svg = draw(map);
  EXPECT_EQ(with_class(svg, "cell").size(), 4U);
  EXPECT_EQ(with_class(svg, "missing").size(), 2U);
  EXPECT_EQ(with_class(svg, "in-cell").size(), 2U);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(HeatMap, LabelsAreEscaped) {
  HeatMap map = map_of(1, 1);
  map.title = map.subtitle = map.x_label = map.y_label = "<&\">";
  map.row_labels = {"<row>"};
  EXPECT_TRUE(shows(draw(map), "&lt;row&gt;"));
}

TEST(HeatMap, EqualMapsAreEqualBytes) {
  EXPECT_EQ(draw(panels_of(3)), draw(panels_of(3)));
}

TEST(HeatMapPanels, ShareOneColourBarAndTheRowLabels) {
  const std::string svg = draw(panels_of(3));
  EXPECT_EQ(with_class(svg, "bar").size(), 1U);
  const auto texts = testing::shown_texts(svg);
  EXPECT_EQ(std::count(texts.begin(), texts.end(), "layer"), 1);
  EXPECT_EQ(std::count(texts.begin(), texts.end(), "head"), 3);
}

TEST(HeatMapPanels, DifferentRowsAreLabelledPanelByPanel) {
  HeatMapPanels figure = panels_of(2);
  figure.panels[1].row_labels[0] = "other";
  const auto texts = testing::shown_texts(draw(figure));
  EXPECT_EQ(std::count(texts.begin(), texts.end(), "layer"), 2);
}

TEST(HeatMapPanels, DoNotOverlapEachOtherOrTheBar) {
  for (const size_t count : {1U, 3U, 7U}) {
    const HeatMapLayout layout = lay_out(panels_of(count));
    for (size_t a = 0; a < count; ++a) {
      const Box& box = layout.panels[a].cells;
      EXPECT_LT(box.right(), layout.bar.x);
      EXPECT_LT(box.bottom(), layout.height);
      for (size_t b = 0; b < a; ++b) {
        const Box& other = layout.panels[b].cells;
        EXPECT_TRUE(other.right() < box.x || other.bottom() < box.y) << a << " and " << b;
      }
    }
    EXPECT_LT(layout.bar.right(), layout.width);
  }
}

TEST(HeatMapPanels, WithoutPanelsIsAUsageError) {
  expect_error(ErrorCode::usage, "there are no panels", [] { draw(HeatMapPanels{}); });
}

TEST(HeatMap, WithoutCellsIsAUsageError) {
  expect_error(ErrorCode::usage, "has no cells", [] { draw(HeatMap{}); });
  expect_error(ErrorCode::usage, "has no cells", [] { draw(map_of(2, 0)); });
}

TEST(HeatMap, LabelsAndValuesMustAgree) {
  HeatMap map = map_of(2, 3);
  map.row_labels.pop_back();
  expect_error(ErrorCode::usage, "2 rows of values but 1 row labels", [&] { draw(map); });
  map = map_of(2, 3);
  map.values[1].pop_back();
  expect_error(ErrorCode::usage, "a row of 2 values but 3 column labels", [&] { draw(map); });
}

TEST(ColourRamp, EndsAreDarkVioletAndYellow) {
  EXPECT_EQ(ramp_colour(0), "#440154");
  EXPECT_EQ(ramp_colour(1), "#fde725");
  EXPECT_EQ(ramp_colour(-3), ramp_colour(0));
  EXPECT_EQ(ramp_colour(3), ramp_colour(1));
}

TEST(ColourRamp, EveryHundredthHasItsOwnColour) {
  std::set<std::string> colours;
  for (int i = 0; i <= 100; ++i) colours.insert(ramp_colour(i / 100.0));
  EXPECT_EQ(colours.size(), 101U);
}

TEST(ColourRamp, TextIsWhiteOnDarkAndBlackOnLight) {
  EXPECT_EQ(text_colour_on_ramp(0.1), "#ffffff");
  EXPECT_EQ(text_colour_on_ramp(0.9), "#000000");
}

}  // namespace
}  // namespace headroom::report
