// The size of square images, and of the square patches they are cut into.
#pragma once

#include <cstdint>

namespace headroom {

struct ImageFormat {
  int64_t side = 0;      // pixels
  int64_t channels = 0;  // 1: grey, 3: red, green, blue
  int64_t patch = 0;     // pixels; divides the side

  int64_t values() const { return channels * side * side; }  // of an image
  int64_t patch_values() const { return channels * patch * patch; }
  int64_t patches() const { return patch > 0 ? (side / patch) * (side / patch) : 0; }
  bool operator==(const ImageFormat&) const = default;
};

}  // namespace headroom
