#include "server/schedule/cost_levels.h"

#include <algorithm>

namespace headroom::server {
namespace {

std::vector<double> levels_between(const std::vector<double>& measured, double least, double most) {
  if (measured.size() == 1) return least == 0 ? std::vector{0.0, measured.front()} : measured;
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

// Rungs weighed by who reaches them, and for nine in ten those that more than one in ten reaches.
LatencyEstimate ladder_time(const FlatTimes& times, const Policy& policy, const LadderStep& step,
                            int64_t tokens) {
  if (!step.thresholds) return times.at(step.budget, tokens);
  LatencyEstimate time;
  time.median_ms = policy.expected(
      *step.thresholds, [&](double budget) { return times.at(budget, tokens).median_ms; });
  for (size_t rung = 0; rung < policy.rungs.size(); ++rung) {
    if (policy.levels[*step.thresholds].reached[rung] > 0.1)
      time.p90_ms += times.at(policy.rungs[rung].budget, tokens).p90_ms;
  }
  time.p90_ms = std::max(time.p90_ms, time.median_ms);
  return time;
}

// The cheapest first.
std::vector<LadderStep> steps_of(const Policy& policy, const std::vector<double>& budgets) {
  std::vector<LadderStep> steps;
  for (const double budget : budgets) {
    if (budget < policy.rungs.front().budget) steps.push_back({{}, budget});
  }
  for (size_t level = 0; level < policy.levels.size(); ++level) steps.push_back({level, 0});
  return steps;
}

// Each of `few` as often as it takes to make them `count`: the first stays first, the last last.
template <typename Value>
std::vector<Value> spread(const std::vector<Value>& few, size_t count) {
  const size_t last = few.size() - 1;
  std::vector<Value> many;
  for (size_t i = 0; i < count; ++i) {
    many.push_back(few[count == 1 ? last : (i * last + (count - 1) / 2) / (count - 1)]);
  }
  return many;
}

}  // namespace

CostLevels::CostLevels(const LatencyTable& table, double least, double most, int64_t longest,
                       const Policy* policy, double bag_token_ms)
    : budgets_(levels_between(table.budgets(), std::min(least, most), most)),
      lengths_(static_cast<size_t>(longest) + 1) {
  const FlatTimes times{table, bag_token_ms};
  const auto each_length = [&](const auto& add) {
    for (size_t length = 0; length < lengths_; ++length) {
      add(length, std::max<int64_t>(1, static_cast<int64_t>(length)));
    }
  };
  if (policy != nullptr) {
    steps_ = least < most ? steps_of(*policy, budgets_) : std::vector{LadderStep{policy->top(), 0}};
    const size_t levels = std::max(budgets_.size(), steps_.size());
    budgets_ = spread(budgets_, levels);
    steps_ = spread(steps_, levels);
    std::vector<double> climbed(lengths_);
    for (const Rung& rung : policy->rungs) {
      each_length([&](size_t length, int64_t tokens) {
        climbed[length] += times.at(rung.budget, tokens).median_ms;
        climbed_ms_.push_back(climbed[length]);
      });
    }
  }
  for (size_t level = 0; level < count(); ++level) {
    each_length([&](size_t, int64_t tokens) {
      append_rising(cells_, lengths_, times.at(budgets_[level], tokens));
      if (policy == nullptr) return;
      append_rising(ladder_cells_, lengths_, ladder_time(times, *policy, steps_[level], tokens));
    });
  }
}

size_t CostLevels::cell(size_t row, int64_t tokens) const {
  const auto last = static_cast<int64_t>(lengths_) - 1;
  return row * lengths_ + static_cast<size_t>(std::clamp<int64_t>(tokens, 0, last));
}

std::optional<size_t> CostLevels::level_within(double budget) const {
  const auto above = std::upper_bound(budgets_.begin(), budgets_.end(), budget);
  if (above == budgets_.begin()) return std::nullopt;
  return static_cast<size_t>(above - budgets_.begin()) - 1;
}

const LatencyEstimate& CostLevels::estimate(size_t level, int64_t tokens) const {
  return cells_[cell(level, tokens)];
}

const LatencyEstimate& CostLevels::ladder_estimate(size_t level, int64_t tokens) const {
  return ladder_cells_[cell(level, tokens)];
}

double CostLevels::climbed_ms(size_t rungs, int64_t tokens) const {
  return rungs == 0 ? 0 : climbed_ms_[cell(rungs - 1, tokens)];
}

}  // namespace headroom::server
