#include "families/relative_positions.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace headroom {

// Half of the buckets are for keys behind the query. Of each half, the first half has a distance
// each, the others grow with its logarithm up to 128. In floats: what lies on the edge of a bucket
// must fall as it does in Transformers.
int64_t relative_bucket(int64_t distance, int64_t buckets) {
  constexpr float farthest = 128;
  const int64_t half = buckets / 2;
  const int64_t first = distance < 0 ? half : 0;
  const int64_t far = std::abs(distance);
  const int64_t exact = half / 2;
  if (far < exact) return first + far;
  const auto near = static_cast<float>(exact);
  const float share = std::log(static_cast<float>(far) / near) / std::log(farthest / near);
  const auto shared = exact + static_cast<int64_t>(share * static_cast<float>(half - exact));
  return first + std::min(shared, half - 1);
}

std::vector<int64_t> relative_buckets(int64_t tokens, int64_t buckets) {
  std::vector<int64_t> all;
  for (int64_t distance = 1 - tokens; distance < tokens; ++distance) {
    all.push_back(relative_bucket(distance, buckets));
  }
  return all;
}

}  // namespace headroom
