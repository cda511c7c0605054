// A stretch of a text.
#pragma once

#include <cstdint>

namespace headroom {

// [begin, end), of bytes or of characters.
struct TextSpan {
  uint32_t begin = 0;
  uint32_t end = 0;
  bool operator==(const TextSpan&) const = default;
};

}  // namespace headroom
