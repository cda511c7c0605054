#include "report/plot/markup.h"

#include <fmt/format.h>

#include <utility>

namespace headroom::report {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD

unsigned char byte_at(std::string_view text, size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// Bytes of the well-formed UTF-8 sequence at text[start] (Unicode 15, table 3-7), or 0.
size_t utf8_length(std::string_view text, size_t start) {
  const unsigned char lead = byte_at(text, start);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (start + length > text.size()) return 0;
  const unsigned char second = byte_at(text, start + 1);
  const unsigned char least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned char most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  for (size_t i = 2; i < length; ++i) {
    if ((byte_at(text, start + i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

// U+FFFE and U+FFFF are well-formed UTF-8 but not XML characters.
bool is_noncharacter(std::string_view symbol) {
  return symbol == "\xef\xbf\xbe" || symbol == "\xef\xbf\xbf";
}

void append_escaped(std::string& out, std::string_view symbol) {
  const unsigned char first = byte_at(symbol, 0);
  if (symbol == "&") {
    out += "&amp;";
  } else if (symbol == "<") {
    out += "&lt;";
  } else if (symbol == ">") {
    out += "&gt;";
  } else if (symbol == "\"") {
    out += "&quot;";
  } else if (symbol == "\t" || symbol == "\n" || symbol == "\r") {
    out += ' ';
  } else if (first < 0x20 || is_noncharacter(symbol)) {
    out += replacement;
  } else {
    out += symbol;
  }
}

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t length = utf8_length(text, i);
    if (length == 0) {
      out += replacement;
    } else {
      append_escaped(out, text.substr(i, length));
    }
    i += length == 0 ? 1 : length;
  }
  return out;
}

std::string short_number(double value) {
  std::string text = fmt::format("{:.2f}", value);  // fmt ignores the locale unless asked
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

void MarkupWriter::begin(std::string_view tag, MarkupAttributes attributes) {
  out_ += fmt::format("<{}", tag);
  for (const MarkupAttribute& attribute : attributes) {
    out_ += fmt::format(" {}=\"{}\"", attribute.name, escape_xml(attribute.value));
  }
}

void MarkupWriter::open(std::string_view tag, MarkupAttributes attributes) {
  begin(tag, attributes);
  out_ += ">\n";
  open_tags_.emplace_back(tag);
}

void MarkupWriter::close() {
  out_ += fmt::format("</{}>\n", open_tags_.back());
  open_tags_.pop_back();
}

void MarkupWriter::leaf(std::string_view tag, MarkupAttributes attributes) {
  begin(tag, attributes);
  out_ += "/>\n";
}

void MarkupWriter::text(std::string_view tag, MarkupAttributes attributes,
                        std::string_view content) {
  begin(tag, attributes);
  out_ += fmt::format(">{}</{}>\n", escape_xml(content), tag);
}

void MarkupWriter::raw(std::string_view content) {
  out_ += content;
}

std::string MarkupWriter::finish() {
  while (!open_tags_.empty()) close();
  return std::exchange(out_, {});
}

}  // namespace headroom::report
