#include "cascade/fit.h"

#include <numeric>

#include "base/random.h"

namespace headroom {

std::vector<size_t> shuffled(size_t count, uint64_t seed) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  Random random{seed};
  random.shuffle(order);
  return order;
}

TuneReport fit_ladder(const ScoredRows& rows, const std::vector<size_t>& order,
                      const TuneSettings& settings) {
  const auto half = order.begin() + static_cast<ptrdiff_t>(order.size() / 2);
  return fit_policy(pick_rows(rows, {order.begin(), half}), pick_rows(rows, {half, order.end()}),
                    settings);
}

}  // namespace headroom
