// Just enough of an XML reader to check our own figures: elements in document order, or a test
// failure that says where the text is not well-formed.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::testing {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;  // as written, entities not resolved
  std::string text;                               // directly inside, entities not resolved

  double number(const std::string& attribute) const { return std::stod(attributes.at(attribute)); }
  bool has_class(std::string_view wanted) const {
    const auto found = attributes.find("class");
    const std::string padded = found == attributes.end() ? "" : " " + found->second + " ";
    return padded.find(" " + std::string(wanted) + " ") != std::string::npos;
  }
};

class XmlReader {
 public:
  explicit XmlReader(std::string_view text) : rest_(text), size_(text.size()) {}

  std::vector<XmlElement> read() {
    while (!rest_.empty() && !failed_) {
      if (rest_.front() == '<') {
        read_tag();
      } else {
        read_text();
      }
    }
    if (!open_.empty()) fail("an element is not closed");
    return elements_;
  }

 private:
  void fail(std::string_view why) {
    if (!failed_) ADD_FAILURE() << why << " at byte " << size_ - rest_.size();
    failed_ = true;
    rest_ = {};
  }

  std::string_view take_until(std::string_view stops) {
    const size_t end = std::min(rest_.find_first_of(stops), rest_.size());
    const std::string_view taken = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return taken;
  }

  void check_characters(std::string_view text) {
    for (size_t i = 0; i < text.size(); ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      if (byte < 0x20 && byte != '\n') fail("control character");
      if (text[i] != '&') continue;
      const std::string_view entity = text.substr(i, text.find(';', i) - i);
      if (entity != "&amp" && entity != "&lt" && entity != "&gt" && entity != "&quot") {
        fail("unescaped &");
      }
    }
  }

  void read_text() {
    const std::string_view text = take_until("<");
    check_characters(text);
    if (!open_.empty()) elements_[open_.back()].text += text;
    if (open_.empty() && text.find_first_not_of('\n') != std::string_view::npos) {
      fail("text outside the root element");
    }
  }

  void read_tag() {
    rest_.remove_prefix(1);
    if (rest_.starts_with('/')) {
      rest_.remove_prefix(1);
      const std::string_view name = take_until(">");
      if (open_.empty() || elements_[open_.back()].name != name) return fail("wrong closing tag");
      open_.pop_back();
      return rest_.remove_prefix(1);
    }
    if (open_.empty() && !elements_.empty()) return fail("second root element");
    XmlElement element;
    element.name = take_until(" />");
    while (rest_.starts_with(' ')) read_attribute(element);
    const bool leaf = rest_.starts_with('/');
    if (leaf) rest_.remove_prefix(1);
    if (!rest_.starts_with('>')) return fail("tag does not end");
    rest_.remove_prefix(1);
    elements_.push_back(element);
    if (!leaf) open_.push_back(elements_.size() - 1);
  }

  void read_attribute(XmlElement& element) {
    rest_.remove_prefix(1);
    const std::string name(take_until("="));
    if (!rest_.starts_with("=\"")) return fail("attribute without quoted value");
    rest_.remove_prefix(2);
    const std::string_view value = take_until("\"<");
    check_characters(value);
    if (!rest_.starts_with('"')) return fail("attribute value does not end");
    rest_.remove_prefix(1);
    if (!element.attributes.emplace(name, value).second) fail("attribute appears twice");
  }

  std::string_view rest_;
  size_t size_;
  bool failed_ = false;
  std::vector<XmlElement> elements_;
  std::vector<size_t> open_;  // indices into elements_
};

inline std::vector<XmlElement> read_xml(std::string_view text) {
  return XmlReader(text).read();
}

inline std::vector<XmlElement> with_class(std::string_view text, std::string_view wanted) {
  std::vector<XmlElement> found;
  for (const XmlElement& element : read_xml(text)) {
    if (element.has_class(wanted)) found.push_back(element);
  }
  return found;
}

// Texts of all <text> elements.
inline std::vector<std::string> shown_texts(std::string_view text) {
  std::vector<std::string> texts;
  for (const XmlElement& element : read_xml(text)) {
    if (element.name == "text") texts.push_back(element.text);
  }
  return texts;
}

inline bool shows(std::string_view svg, std::string_view text) {
  const auto texts = shown_texts(svg);
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

}  // namespace headroom::testing
