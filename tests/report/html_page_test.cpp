#include "report/html_page.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/html_checks.h"
#include "report/html_parts.h"

namespace headroom::report {
namespace {
using testing::expect_self_contained;
using testing::has_section;
using testing::read_html;
using testing::XmlElement;

const std::string hostile = "<script>alert(\"x\")</script>&\x01\xff";

Page page_of(std::vector<Chapter> chapters) {
  return {"A report", "Made here.", std::move(chapters)};
}

size_t count_of(const std::string& page, const std::string& name) {
  const auto elements = read_html(page);
  return static_cast<size_t>(std::count_if(elements.begin(), elements.end(),
                                           [&](const XmlElement& e) { return e.name == name; }));
}

TEST(HtmlPage, IsWellFormedAndAsksForNothing) {
  LinePlot plot;
  plot.title = "curve";
  plot.series = {{"a", {1, 2}, {3, 4}, {}, {}, false}};
  const std::string page = write_html(page_of(
      {{"Chapter", "Lead.", {{"one", "One", html_figure(plot, "seen") + paragraph("text")}}}}));
  expect_self_contained(page);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos) << "and lets nobody ask";
}

TEST(HtmlPage, FiguresShareOneStyleSheet) {
  LinePlot plot;
  plot.title = "curve";
  plot.series = {{"a", {1, 2}, {3, 4}, {}, {}, false}};
  const std::string figure = html_figure(plot, "seen");
  const std::string page =
      write_html(page_of({{"Chapter", "", {{"one", "One", figure + figure}}}}));
  EXPECT_EQ(count_of(page, "style"), 1U);
  EXPECT_EQ(count_of(page, "figcaption"), 2U);
}

TEST(HtmlPage, TextsThatLookLikeMarkupStayTexts) {
  const std::string page =
      write_html({hostile,
                  hostile,
                  {{hostile,
                    hostile,
                    {{"one", hostile,
                      paragraph(hostile) + html_table({{hostile}, {{hostile}}}) +
                          key_numbers({{hostile, hostile}}) + command_list({{hostile, hostile}})}}},
                   {hostile, "", {}}}});
  expect_self_contained(page);
  EXPECT_EQ(page.find("<script"), std::string::npos);
}

TEST(HtmlPage, ASectionWithoutContentIsNeitherShownNorListed) {
  const std::string page = write_html(
      page_of({{"Chapter", "", {{"full", "Full", paragraph("x")}, {"bare", "Bare", ""}}}}));
  EXPECT_TRUE(has_section(page, "Full"));
  EXPECT_EQ(page.find("Bare"), std::string::npos);
  EXPECT_EQ(count_of(page, "a"), 1U);
}

TEST(HtmlPage, EveryLinkLeadsToOneSection) {
  const Chapter chapter = {"Chapter", "", {{"one", "One", paragraph("x")}}};
  const std::string page = write_html(page_of({chapter, chapter}));
  std::vector<std::string> ids;
  std::vector<std::string> links;
  for (const XmlElement& element : read_html(page)) {
    if (element.attributes.contains("id")) ids.push_back("#" + element.attributes.at("id"));
    if (element.name == "a") links.push_back(element.attributes.at("href"));
  }
  EXPECT_EQ(ids, links);
  EXPECT_NE(ids.at(0), ids.at(1)) << "though both chapters have the same section";
}

TEST(HtmlParts, NumbersAreAlignedRight) {
  const std::string table = html_table({{"arm", "accuracy"}, {{"dense", "92.0"}, {"other", "-"}}});
  EXPECT_NE(table.find("<td class=\"words\">dense"), std::string::npos) << table;
  EXPECT_NE(table.find("<td class=\"number\">92.0"), std::string::npos) << table;
  EXPECT_EQ(html_table({{"arm"}, {}}), "") << "no rows, no table";
}

TEST(HtmlParts, NothingToDrawIsNoFigure) {
  EXPECT_EQ(html_figure(LinePlot{}, "caption"), "");
  EXPECT_EQ(html_figure(std::string(), "caption"), "");
}

TEST(HtmlParts, LargeNumbersHaveCommas) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(-123456), "-123,456");
  EXPECT_EQ(with_commas(7355652), "7,355,652");
}

TEST(HtmlParts, LongTextsAreCutBetweenCharacters) {
  EXPECT_EQ(shortened_text("short", 5), "short");
  EXPECT_EQ(shortened_text("longer", 5), "longe…");
  EXPECT_EQ(shortened_text("éàü", 2), "éà…");
}

}  // namespace
}  // namespace headroom::report
