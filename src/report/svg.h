// A writer for SVG documents: every tag that is opened is closed, every text is escaped and every
// number is written the same way whatever the locale, so that equal figures are equal bytes.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

// Text as it may stand between tags or inside a quoted attribute. Control characters and broken
// UTF-8, which no XML document may hold, become U+FFFD.
std::string escape_xml(std::string_view text);

// A coordinate with at most two decimals ("12.5", "3", never "-0"): a hundredth of a pixel.
std::string svg_number(double value);

struct SvgAttribute {
  SvgAttribute(std::string_view attribute, std::string_view text) : name(attribute), value(text) {}
  SvgAttribute(std::string_view attribute, const char* text) : name(attribute), value(text) {}
  SvgAttribute(std::string_view attribute, double number)
      : name(attribute), value(svg_number(number)) {}

  std::string name;
  std::string value;
};

using SvgAttributes = std::initializer_list<SvgAttribute>;

class SvgWriter {
 public:
  void open(std::string_view tag, SvgAttributes attributes = {});
  void close();  // the innermost open tag

  // A tag without children.
  void leaf(std::string_view tag, SvgAttributes attributes);
  // A tag that holds only text.
  void text(std::string_view tag, SvgAttributes attributes, std::string_view content);
  // Text that is already valid inside the open tag: a style sheet of ours.
  void raw(std::string_view content);

  // The document; closes what is still open. The writer is empty afterwards.
  std::string finish();

 private:
  void begin(std::string_view tag, SvgAttributes attributes);

  std::string out_;
  std::vector<std::string> open_tags_;
};

}  // namespace headroom
