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

// What a text of the ladder takes: rungs weighed by who reaches them, and for nine in ten those
// that more than one in ten reaches.
LatencyEstimate ladder_time(const LatencyTable& table, const Policy& policy, size_t level,
                            int64_t tokens) {
  const auto at = [&](double budget) {
    return budget == 0 ? LatencyEstimate{} : table.estimate(budget, tokens);
  };
  LatencyEstimate time;
  time.median_ms = policy.expected(level, [&](double budget) { return at(budget).median_ms; });
  for (size_t rung = 0; rung < policy.rungs.size(); ++rung) {
    if (policy.levels[level].reached[rung] > 0.1)
      time.p90_ms += at(policy.rungs[rung].budget).p90_ms;
  }
  time.p90_ms = std::max(time.p90_ms, time.median_ms);
  return time;
}

// A noisy measurement may say that more work takes less time; the search for a level relies on the
// opposite.
void append_rising(std::vector<LatencyEstimate>& cells, size_t lengths, LatencyEstimate time) {
  if (cells.size() >= lengths) {
    const LatencyEstimate& below = cells[cells.size() - lengths];
    time.median_ms = std::max(time.median_ms, below.median_ms);
    time.p90_ms = std::max(time.p90_ms, below.p90_ms);
  }
  cells.push_back(time);
}

}  // namespace

CostLevels::CostLevels(const LatencyTable& table, double least, double most, int64_t longest,
                       const Policy* policy)
    : budgets_(levels_between(table.budgets(), std::min(least, most), most)),
      lengths_(static_cast<size_t>(longest) + 1) {
  cells_.reserve(budgets_.size() * lengths_);
  for (size_t level = 0; level < budgets_.size(); ++level) {
    if (policy != nullptr) {
      ladder_levels_.push_back(top() == 0 ? policy->top()
                                          : (level * policy->top() + top() / 2) / top());
    }
    for (size_t length = 0; length < lengths_; ++length) {
      const auto tokens = std::max<int64_t>(1, static_cast<int64_t>(length));
      append_rising(cells_, lengths_, table.estimate(budgets_[level], tokens));
      if (policy == nullptr) continue;
      append_rising(ladder_cells_, lengths_,
                    ladder_time(table, *policy, ladder_levels_[level], tokens));
    }
  }
}

const LatencyEstimate& CostLevels::cell(const std::vector<LatencyEstimate>& cells, size_t level,
                                        int64_t tokens) const {
  const auto last = static_cast<int64_t>(lengths_) - 1;
  return cells[level * lengths_ + static_cast<size_t>(std::clamp<int64_t>(tokens, 0, last))];
}

const LatencyEstimate& CostLevels::estimate(size_t level, int64_t tokens) const {
  return cell(cells_, level, tokens);
}

const LatencyEstimate& CostLevels::ladder_estimate(size_t level, int64_t tokens) const {
  return cell(ladder_cells_, level, tokens);
}

}  // namespace headroom::server
