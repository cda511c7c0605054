#include "server/schedule/cost_levels.h"

#include <algorithm>

namespace headroom::server {
namespace {

std::vector<double> levels_between(const std::vector<double>& measured, double least, double most) {
  if (measured.size() == 1) return measured;
  std::vector<double> levels = {least, most};
  for (size_t i = 0; i < measured.size(); ++i) {
    levels.push_back(measured[i]);
    if (i > 0) levels.push_back((measured[i - 1] + measured[i]) / 2);
  }
  std::erase_if(levels, [&](double budget) { return budget < least || budget > most; });
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

}  // namespace

CostLevels::CostLevels(const LatencyTable& table, double least, double most, int64_t longest)
    : budgets_(levels_between(table.budgets(), std::min(least, most), most)),
      lengths_(static_cast<size_t>(longest) + 1) {
  cells_.reserve(budgets_.size() * lengths_);
  for (size_t level = 0; level < budgets_.size(); ++level) {
    for (size_t tokens = 0; tokens < lengths_; ++tokens) {
      LatencyEstimate time =
          table.estimate(budgets_[level], std::max<int64_t>(1, static_cast<int64_t>(tokens)));
      // A noisy measurement may say that more work takes less time; the search for a level relies
      // on the opposite.
      if (level > 0) {
        const LatencyEstimate& below = cells_[cells_.size() - lengths_];
        time.median_ms = std::max(time.median_ms, below.median_ms);
        time.p90_ms = std::max(time.p90_ms, below.p90_ms);
      }
      cells_.push_back(time);
    }
  }
}

const LatencyEstimate& CostLevels::estimate(size_t level, int64_t tokens) const {
  const auto last = static_cast<int64_t>(lengths_) - 1;
  return cells_[level * lengths_ + static_cast<size_t>(std::clamp<int64_t>(tokens, 0, last))];
}

}  // namespace headroom::server
