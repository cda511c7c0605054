// A writer for SVG and HTML documents: every tag that is opened is closed, every text is escaped
// and every number is written the same way whatever the locale, so that equal documents are equal
// bytes. HTML is written by XML's rules, which every browser reads and a test can check.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::report {

// Text as it may stand between tags or inside a quoted attribute. Control characters and broken
// UTF-8, which no XML document may hold, become U+FFFD.
std::string escape_xml(std::string_view text);

// A number with at most two decimals: "12.5", "3", never "-0".
std::string short_number(double value);

struct MarkupAttribute {
  MarkupAttribute(std::string_view attribute, std::string_view text)
      : name(attribute), value(text) {}
  MarkupAttribute(std::string_view attribute, const char* text) : name(attribute), value(text) {}
  MarkupAttribute(std::string_view attribute, double number)
      : name(attribute), value(short_number(number)) {}

  std::string name;
  std::string value;
};

using MarkupAttributes = std::initializer_list<MarkupAttribute>;

class MarkupWriter {
 public:
  void open(std::string_view tag, MarkupAttributes attributes = {});
  void close();  // the innermost open tag

  // A tag without children.
  void leaf(std::string_view tag, MarkupAttributes attributes);
  // A tag that holds only text.
  void text(std::string_view tag, MarkupAttributes attributes, std::string_view content);
  // What is already valid inside the open tag: a style sheet of ours, another writer's document.
  void raw(std::string_view content);

  // The document; closes what is still open. The writer is empty afterwards.
  std::string finish();

 private:
  void begin(std::string_view tag, MarkupAttributes attributes);

  std::string out_;
  std::vector<std::string> open_tags_;
};

}  // namespace headroom::report
