// What every page of ours must be: well-formed, and complete without anything from outside.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "report/xml.h"

namespace headroom::testing {

// The elements below the document type.
inline std::vector<XmlElement> read_html(const std::string& page) {
  constexpr std::string_view document_type = "<!DOCTYPE html>\n";
  EXPECT_TRUE(page.starts_with(document_type)) << page.substr(0, 40);
  return read_xml(std::string_view(page).substr(document_type.size()));
}

// No element that fetches, no address other than a place on the page, no script.
inline void expect_self_contained(const std::string& page) {
  for (const XmlElement& element : read_html(page)) {
    for (const char* fetching : {"script", "link", "img", "iframe", "object", "image", "use"}) {
      EXPECT_NE(element.name, fetching);
    }
    for (const auto& [name, value] : element.attributes) {
      EXPECT_NE(name, "src");
      EXPECT_FALSE(name.starts_with("on")) << name;
      if (name != "href") continue;
      EXPECT_TRUE(value.starts_with("#")) << value;
    }
    if (element.name != "style") continue;
    for (const char* request : {"url(", "@import", "http"}) {
      EXPECT_EQ(element.text.find(request), std::string::npos) << request;
    }
  }
}

inline bool has_section(const std::string& page, const std::string& title) {
  for (const XmlElement& element : read_html(page)) {
    if (element.name == "h3" && element.text == title) return true;
  }
  return false;
}

}  // namespace headroom::testing
