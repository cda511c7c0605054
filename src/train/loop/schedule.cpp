#include "train/loop/schedule.h"

#include <algorithm>

namespace headroom {
inline namespace train {

double Schedule::rate(int64_t step) const {
  if (step < warmup) return peak * static_cast<double>(step + 1) / static_cast<double>(warmup);
  if (!decay) return peak;
  const auto left = static_cast<double>(std::max<int64_t>(steps - step, 0));
  const auto span = static_cast<double>(std::max<int64_t>(steps - warmup, 1));
  return peak * std::min(1.0, left / span);
}

double Schedule::rate_at(double share, int64_t step) const {
  const double rise =
      warmup > 0 ? static_cast<double>(step + 1) / static_cast<double>(warmup) : 1.0;
  const double fall = decay ? std::clamp(1 - share, 0.0, 1.0) : 1.0;
  return peak * std::min({rise, fall, 1.0});
}

double Schedule::rate_between(double before, double behind) const {
  const double rise = static_cast<double>(warmup) / static_cast<double>(steps);
  if (before < rise) return peak * std::min(1.0, behind / rise);
  if (!decay) return peak;
  return peak * std::clamp((1 - before) / std::max(1 - rise, 1e-9), 0.0, 1.0);
}

}  // namespace train
}  // namespace headroom
