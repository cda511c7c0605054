// Lists as people read them: the parts of a range in a row, with a separator between them.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace headroom {

// "1, 2, 3" from {1, 2, 3} and ", ". Parts are anything that fmt can write; no parts give "".
// (fmt::join does the same, but moves between headers from one version of fmt to the next.)
template <typename Range>
std::string join(const Range& parts, std::string_view separator) {
  std::string text;
  bool first = true;
  for (const auto& part : parts) {
    if (!first) text += separator;
    first = false;
    text += fmt::format("{}", part);
  }
  return text;
}

}  // namespace headroom
