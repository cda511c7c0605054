#include "base/measure/cosine.h"

#include <cmath>
#include <cstddef>

namespace headroom {

double cosine(std::span<const float> a, std::span<const float> b) {
  double both = 0;
  double left = 0;
  double right = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    both += static_cast<double>(a[i]) * b[i];
    left += static_cast<double>(a[i]) * a[i];
    right += static_cast<double>(b[i]) * b[i];
  }
  return left > 0 && right > 0 ? both / std::sqrt(left * right) : 0;
}

}  // namespace headroom
