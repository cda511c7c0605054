#include "report/plot/svg.h"

#include <gtest/gtest.h>

#include <locale>

#include "report/xml.h"

namespace headroom::report {
namespace {
using testing::read_xml;

TEST(EscapeXml, MarkupCharactersBecomeEntities) {
  EXPECT_EQ(escape_xml("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
}

TEST(EscapeXml, OtherAlphabetsPassUnchanged) {
  EXPECT_EQ(escape_xml("± é 注 😀"), "± é 注 😀");
}

TEST(EscapeXml, LineBreaksAndTabsBecomeSpaces) {
  EXPECT_EQ(escape_xml("a\tb\nc"), "a b c");
}

TEST(EscapeXml, WhatXmlForbidsIsReplaced) {
  EXPECT_EQ(escape_xml(std::string("a\0b\x1b", 4)), "a\ufffdb\ufffd");
  EXPECT_EQ(escape_xml("\xff|\xc3"), "\ufffd|\ufffd") << "stray and cut-off bytes";
  EXPECT_EQ(escape_xml("\xc0\xaf"), "\ufffd\ufffd") << "overlong form";
  EXPECT_EQ(escape_xml("\xed\xa0\x80"), "\ufffd\ufffd\ufffd") << "surrogate";
  EXPECT_EQ(escape_xml("\xef\xbf\xbf"), "\ufffd") << "noncharacter";
}

TEST(SvgNumber, AtMostTwoDecimalsAndNoTrailingZeros) {
  EXPECT_EQ(svg_number(12.5), "12.5");
  EXPECT_EQ(svg_number(1.0 / 3), "0.33");
  EXPECT_EQ(svg_number(100), "100");
  EXPECT_EQ(svg_number(0), "0");
}

TEST(SvgNumber, ThereIsNoNegativeZero) {
  EXPECT_EQ(svg_number(-0.001), "0");
}

class CommaAsPoint : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
};

TEST(SvgNumber, TheLocaleDoesNotMatter) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new CommaAsPoint));
  EXPECT_EQ(svg_number(1.25), "1.25");
  std::locale::global(before);
}

TEST(SvgWriter, FinishClosesWhatIsOpen) {
  SvgWriter svg;
  svg.open("svg", {{"width", 10.0}});
  svg.open("g");
  svg.leaf("rect", {{"class", "a\"b"}});
  const std::string text = svg.finish();
  EXPECT_EQ(text, "<svg width=\"10\">\n<g>\n<rect class=\"a&quot;b\"/>\n</g>\n</svg>\n");
  EXPECT_EQ(read_xml(text).size(), 3U);
}

TEST(SvgWriter, IsEmptyAfterFinish) {
  SvgWriter svg;
  svg.leaf("svg", {});
  svg.finish();
  EXPECT_EQ(svg.finish(), "");
}

}  // namespace
}  // namespace headroom::report
