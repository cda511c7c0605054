#include "train/schedule.h"

#include <algorithm>

namespace headroom {

double Schedule::rate(int64_t step) const {
  if (step < warmup) return peak * static_cast<double>(step + 1) / static_cast<double>(warmup);
  if (!decay) return peak;
  const auto left = static_cast<double>(std::max<int64_t>(steps - step, 0));
  const auto span = static_cast<double>(std::max<int64_t>(steps - warmup, 1));
  return peak * std::min(1.0, left / span);
}

}  // namespace headroom
