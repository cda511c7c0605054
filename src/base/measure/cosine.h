// How alike the directions of two vectors are.
#pragma once

#include <span>

namespace headroom {

// From -1 to 1, in double precision; 0 where either has no length. Both are equally long.
double cosine(std::span<const float> a, std::span<const float> b);

}  // namespace headroom
