// A number with its noun: "1 row", "2 rows".
#pragma once

#include <string>
#include <string_view>

namespace headroom {

// `noun` is one that takes an s.
template <typename Integer>
std::string counted(Integer count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace headroom
