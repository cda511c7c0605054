#include "report/plot/line_plot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <locale>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/plot/line_plot_layout.h"
#include "report/xml.h"
#include "support.h"

namespace headroom::report {
namespace {
using testing::expect_error;
using testing::read_xml;
using testing::shows;
using testing::with_class;
using testing::XmlElement;

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

LinePlot plot_of(std::vector<Series> series) {
  LinePlot plot;
  plot.title = "Accuracy";
  plot.x_label = "budget";
  plot.y_label = "accuracy";
  plot.series = std::move(series);
  return plot;
}

Series line(std::string name, std::vector<double> y) {
  Series series;
  series.name = std::move(name);
  for (size_t i = 0; i < y.size(); ++i) series.x.push_back(static_cast<double>(i));
  series.y = std::move(y);
  return series;
}

Series with_intervals(Series series, double half) {
  for (const double y : series.y) {
    series.low.push_back(y - half);
    series.high.push_back(y + half);
  }
  return series;
}

// Nine arms whose curves nearly coincide, as in the equal-compute comparison.
LinePlot nine_arms() {
  LinePlot plot = plot_of({});
  for (int s = 0; s < 9; ++s) {
    const double shift = 0.001 * s;
    plot.series.push_back(with_intervals(
        line("arm " + std::to_string(s), {0.88 + shift, 0.885 + shift, 0.89 + shift}), 0.002));
  }
  plot.y_format = ValueFormat::percent;
  return plot;
}

size_t count(const std::vector<XmlElement>& elements, const std::string& name) {
  return static_cast<size_t>(std::count_if(elements.begin(), elements.end(),
                                           [&](const XmlElement& e) { return e.name == name; }));
}

size_t markers(const std::string& svg) {
  return with_class(svg, "filled").size() + with_class(svg, "hollow").size();
}

TEST(LinePlot, NamesTitlesAndLabelsAllAppear) {
  LinePlot plot = nine_arms();
  plot.subtitle = "five seeds";
  const std::string svg = draw(plot);
  for (const Series& series : plot.series) EXPECT_TRUE(shows(svg, series.name)) << series.name;
  for (const char* text : {"Accuracy", "five seeds", "budget", "accuracy", "88.0%"}) {
    EXPECT_TRUE(shows(svg, text)) << text;
  }
}

struct DecimalComma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(LinePlot, EqualPlotsAreEqualBytesWhateverTheLocaleAndWhatWasDrawnBefore) {
  const std::string first = draw(nine_arms());
  LinePlot edited = plot_of({line("gone", {0.1, 0.2})});
  EXPECT_NE(draw(edited), first);
  edited = nine_arms();
  edited.series[4].y[1] += 0.005;
  EXPECT_NE(draw(edited), first) << "a point that moved shows";
  edited.series[4].y[1] = nine_arms().series[4].y[1];
  const std::locale usual =
      std::locale::global(std::locale(std::locale::classic(), new DecimalComma));
  const std::string second = draw(edited);
  std::locale::global(usual);
  EXPECT_EQ(second, first);
}

TEST(LinePlot, TextIsEscapedEverywhere) {
  LinePlot plot = plot_of({line("a<b & \"c\"", {1, 2})});
  plot.title = plot.subtitle = plot.x_label = plot.y_label = "<&\">";
  plot.references = {{ReferenceKind::horizontal, 1, "<ref>"}};
  const std::string svg = draw(plot);
  EXPECT_TRUE(shows(svg, "a&lt;b &amp; &quot;c&quot;"));
  EXPECT_TRUE(shows(svg, "&lt;ref&gt;"));
}

TEST(LinePlot, AsksForNothingFromOutside) {
  std::string svg = draw(nine_arms());
  const std::string_view name_space = "xmlns=\"http://www.w3.org/2000/svg\"";
  svg.erase(svg.find(name_space), name_space.size());
  for (const char* request : {"http", "href", "url(", "@import", "<script"}) {
    EXPECT_EQ(svg.find(request), std::string::npos) << request;
  }
}

TEST(LinePlot, HasAStyleForDarkPages) {
  EXPECT_NE(draw(nine_arms()).find("@media (prefers-color-scheme:dark)"), std::string::npos);
}

TEST(LinePlot, LegendStaysClearOfThePlotAndInsideTheFigure) {
  LinePlot plot = nine_arms();
  plot.references = {{ReferenceKind::diagonal, 0, "a reference line with quite a long name"}};
  for (int extra = 0; extra < 30; ++extra) plot.series.push_back(plot.series[0]);
  const LinePlotLayout layout = lay_out(plot);
  EXPECT_GT(layout.legend.x, layout.plot.right());
  EXPECT_LE(layout.legend.right(), layout.width);
  EXPECT_LE(layout.legend.bottom(), layout.height);
  for (const XmlElement& element : read_xml(draw(plot))) {
    if (element.has_class("legend")) break;  // what follows belongs there
    if (element.name != "circle") continue;
    EXPECT_LT(element.number("cx") + 5, layout.legend.x);
  }
}

TEST(LinePlot, ALegendBelowMakesTheFigureNarrow) {
  LinePlot plot = nine_arms();
  const double beside = lay_out(plot).width;
  plot.legend_below = true;
  const LinePlotLayout layout = lay_out(plot);
  EXPECT_LT(layout.width, beside);
  EXPECT_GT(layout.legend.y, layout.plot.bottom());
  EXPECT_LE(layout.legend.right(), layout.width);
  EXPECT_LE(layout.legend.bottom(), layout.height);
  EXPECT_LT(layout.legend_rows, plot.series.size()) << "several columns";
  const std::string svg = draw(plot);
  for (const Series& series : plot.series) EXPECT_TRUE(shows(svg, series.name)) << series.name;
}

TEST(LinePlot, DataFillsTheHeightWhenCurvesNearlyCoincide) {
  const LinePlotLayout layout = lay_out(nine_arms());
  EXPECT_GT(layout.y_range.low, 0.87);
  EXPECT_LT(layout.y_range.high, 0.91);
  EXPECT_TRUE(layout.y_range.contains(0.878) && layout.y_range.contains(0.900)) << "intervals too";
}

TEST(LinePlot, TicksStandInsideThePlot) {
  const LinePlotLayout layout = lay_out(nine_arms());
  for (const double value : layout.y_ticks.values) {
    EXPECT_GE(layout.y_scale()(value), layout.plot.y);
    EXPECT_LE(layout.y_scale()(value), layout.plot.bottom());
  }
}

TEST(LinePlot, PointsThatAreNotFiniteAreSkipped) {
  const Series series = line("a", {1, nan, 3, infinity, 5});
  const std::string svg = draw(plot_of({series}));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  EXPECT_EQ(markers(svg), 3U + 1U) << "three points and the legend";
}

TEST(LinePlot, ASkippedPointLeavesAGapInTheLine) {
  const auto curves = with_class(draw(plot_of({line("a", {1, 2, nan, 3, 4})})), "curve");
  const std::string path = curves.front().attributes.at("d");
  EXPECT_EQ(std::count(path.begin(), path.end(), 'M'), 2);
}

TEST(LinePlot, AnIntervalThatIsNotFiniteIsNotDrawn) {
  Series series = with_intervals(line("a", {1, 2}), 0.1);
  series.high[0] = nan;
  EXPECT_EQ(with_class(draw(plot_of({series})), "interval").size(), 1U);
}

TEST(LinePlot, EveryIntervalGetsAnErrorBar) {
  EXPECT_EQ(with_class(draw(nine_arms()), "interval").size(), 27U);
}

TEST(LinePlot, ErrorBarsAtTheSamePlaceStandSideBySide) {
  std::vector<double> places;
  for (const XmlElement& bar : with_class(draw(nine_arms()), "interval")) {
    places.push_back(std::stod(bar.attributes.at("d").substr(1)));
  }
  std::sort(places.begin(), places.end());
  for (size_t i = 1; i < places.size(); ++i) EXPECT_GT(places[i] - places[i - 1], 1.5);
  EXPECT_LT(places[8] - places[0], 30) << "a group stays near its x";
}

TEST(LinePlot, PointsWithoutIntervalsStayExactlyAtTheirPlace) {
  LinePlot plot = plot_of({line("a", {1, 2}), line("b", {1, 2})});
  const double x = lay_out(plot).x_scale()(0);
  EXPECT_NEAR(with_class(draw(plot), "filled").front().number("cx"), x, 0.01);
}

TEST(LinePlot, BandsReplaceErrorBarsOnRequest) {
  LinePlot plot = nine_arms();
  plot.intervals = IntervalStyle::band;
  const std::string svg = draw(plot);
  EXPECT_EQ(with_class(svg, "band").size(), 9U);
  EXPECT_TRUE(with_class(svg, "interval").empty());
}

TEST(LinePlot, PointsOnlyHasNoLine) {
  Series series = line("a", {1, 2});
  series.points_only = true;
  EXPECT_TRUE(with_class(draw(plot_of({series})), "curve").empty());
}

TEST(LinePlot, ALongLineGetsAMarkerEveryFewPoints) {
  const std::string svg = draw(plot_of({line("loss", std::vector<double>(2000, 1.0))}));
  EXPECT_LT(markers(svg), 20U);
}

TEST(LinePlot, NoTwoOfTenSeriesLookTheSame) {
  LinePlot plot = plot_of({});
  for (int s = 0; s < 10; ++s) plot.series.push_back(line("a", {1}));
  std::set<std::string> looks;  // filled or hollow, and the colour
  for (const XmlElement& element : read_xml(draw(plot))) {
    if (!element.has_class("filled") && !element.has_class("hollow")) continue;
    looks.insert(element.attributes.at("class"));
  }
  EXPECT_EQ(looks.size(), 10U);
}

TEST(LinePlot, ReferenceLinesAreDrawnInsideThePlot) {
  LinePlot plot = plot_of({line("a", {0, 1})});
  plot.references = {{ReferenceKind::horizontal, 0.5, "h"},
                     {ReferenceKind::vertical, 0.5, "v"},
                     {ReferenceKind::diagonal, 0, ""}};
  const std::string svg = draw(plot);
  const Box box = lay_out(plot).plot;
  const auto lines = with_class(svg, "reference");
  ASSERT_EQ(lines.size(), 5U) << "three lines and two named ones in the legend";
  for (size_t i = 0; i < 3; ++i) {
    for (const char* end : {"x1", "x2"}) {
      EXPECT_GE(lines[i].number(end), box.x - 0.01);
      EXPECT_LE(lines[i].number(end), box.right() + 0.01);
    }
  }
}

TEST(LinePlot, AReferenceOutsideAnExplicitRangeIsLeftOut) {
  LinePlot plot = plot_of({line("a", {0, 1})});
  plot.references = {{ReferenceKind::horizontal, 7, ""}};
  plot.y_range = ValueRange{0, 1};
  EXPECT_TRUE(with_class(draw(plot), "reference").empty());
}

TEST(LinePlot, MarkersOutsideAnExplicitRangeAreLeftOut) {
  LinePlot plot = plot_of({line("a", {0, 1, 100})});
  plot.y_range = ValueRange{0, 2};
  EXPECT_EQ(markers(draw(plot)), 2U + 1U);
}

TEST(LinePlot, LinesAreCutAtAnExplicitRange) {
  LinePlot plot = plot_of({line("a", {0, 1, 2, 3})});
  plot.x_range = ValueRange{1, 2};
  const Box box = lay_out(plot).plot;
  const auto elements = read_xml(draw(plot));
  const auto inner = std::find_if(elements.begin() + 1, elements.end(),
                                  [](const XmlElement& e) { return e.name == "svg"; });
  EXPECT_NEAR(inner->number("x"), box.x, 0.01);
  EXPECT_NEAR(inner->number("width"), box.width, 0.01);
}

TEST(LinePlot, LongSubtitleIsBrokenIntoLines) {
  LinePlot plot = plot_of({line("a", {1, 2})});
  for (int i = 0; i < 60; ++i) plot.subtitle += "words ";
  EXPECT_GT(with_class(draw(plot), "subtitle").size(), 1U);
}

TEST(LinePlot, NothingToDrawIsAUsageError) {
  const auto fragment = "no series has a point";
  expect_error(ErrorCode::usage, fragment, [] { draw(LinePlot{}); });
  expect_error(ErrorCode::usage, fragment, [] { draw(plot_of({line("a", {nan, infinity})})); });
}

TEST(LinePlot, ColumnsOfDifferentLengthsAreRefusedByName) {
  Series short_y = line("arm", {1, 2});
  short_y.y.pop_back();
  expect_error(ErrorCode::usage, "series \"arm\" has 2 x values but 1 y values",
               [&] { draw(plot_of({short_y})); });
  Series only_low = line("arm", {1, 2});
  only_low.low = {0, 0};
  expect_error(ErrorCode::usage, "0 high values", [&] { draw(plot_of({only_low})); });
}

TEST(LinePlot, AnExplicitRangeMustBeOne) {
  for (const ValueRange range : {ValueRange{1, 1}, ValueRange{2, 1}, ValueRange{0, infinity}}) {
    LinePlot plot = plot_of({line("a", {1, 2})});
    plot.y_range = range;
    expect_error(ErrorCode::usage, "the y range", [&] { draw(plot); });
  }
}

TEST(LinePlot, ASinglePointIsEnough) {
  const std::string svg = draw(plot_of({line("a", {0})}));
  EXPECT_EQ(count(read_xml(svg), "circle"), 2U) << "the point and its legend";
}

}  // namespace
}  // namespace headroom::report
