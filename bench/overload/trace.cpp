#include "overload/trace.h"

#include <algorithm>
#include <cmath>

#include "serving_load.h"

namespace headroom::overload {
namespace {

// Sizes of groups: Pareto with a tail of 1.6, in whole numbers from 1 to 32.
constexpr double group_tail = 1.6;
constexpr int largest_group = 32;

int group_size(Random& random) {
  const double size = std::pow(1 - random.uniform(), -1 / group_tail);
  return static_cast<int>(std::min<double>(size, largest_group));
}

// P(size >= k) is k^-tail, and a mean is the sum of those.
double mean_group_size() {
  double mean = 0;
  for (int k = 1; k <= largest_group; ++k) mean += std::pow(k, -group_tail);
  return mean;
}

}  // namespace

Trace make_trace(const TraceSettings& settings) {
  const double duration_ms = 1000 * settings.seconds;
  const double a_ms = settings.rate / 1000;
  const ServingLoad load = settings.bursts
                               ? restless_load(a_ms / mean_group_size(), duration_ms, settings.seed)
                               : constant_load("steady", a_ms, duration_ms);
  Random random({settings.seed});
  Trace trace;
  for (double now = next_arrival(load, 0, random); now < load.duration_ms;
       now = next_arrival(load, now, random)) {
    for (int left = settings.bursts ? group_size(random) : 1; left > 0; --left) {
      trace.due.push_back(now / 1000);
      trace.order.push_back(random.below(settings.rows));
    }
  }
  return trace;
}

}  // namespace headroom::overload
