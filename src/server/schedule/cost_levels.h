// What a text costs at each budget that the controller may take: the latency table, interpolated
// once for every length, so that a queue can be added up in microseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "budget/ladder/policy.h"
#include "budget/latency_table.h"

namespace headroom::server {

// What a text takes at a flat budget; 0 is the bag of n-grams.
struct FlatTimes {
  const LatencyTable& table;
  double bag_token_ms;

  LatencyEstimate at(double budget, int64_t tokens) const {
    if (budget > 0) return table.estimate(budget, tokens);
    const double time = bag_token_ms * static_cast<double>(tokens);
    return {time, time};
  }
};

// How a text climbs at a level.
struct LadderStep {
  // The policy's level; none: even the first rung is too much, and `budget` answers flat.
  std::optional<size_t> thresholds;
  double budget = 0;
};

class CostLevels {
 public:
  // The measured budgets from `least` to `most`, those two and the middles between neighbours:
  // steps of 1/16, as `calibrate` measures eighths. A model that was measured at one budget has
  // that one. Inputs have up to `longest` tokens. The bag of n-grams, budget 0, takes
  // `bag_token_ms` a token.
  //
  // With a policy every level has a step of the ladder too. From the top: the promised thresholds;
  // lower ones, to those at which the first rung answers all; and where that rung is above `least`
  // the flat budgets between them. There are as many levels as budgets or steps, whichever are
  // more. Where `least` is `most` nothing may give way, thresholds neither.
  CostLevels(const LatencyTable& table, double least, double most, int64_t longest,
             const Policy* policy = nullptr, double bag_token_ms = 0);

  size_t count() const { return budgets_.size(); }
  size_t top() const { return budgets_.size() - 1; }
  double budget(size_t level) const { return budgets_[level]; }  // ascending
  std::optional<size_t> level_within(double budget) const;       // the highest; none: all are above
  const LatencyEstimate& estimate(size_t level, int64_t tokens) const;

  // Of a text that climbs the ladder: on average, and what nine in ten take no more than.
  const LatencyEstimate& ladder_estimate(size_t level, int64_t tokens) const;
  const LadderStep& ladder_step(size_t level) const { return steps_[level]; }
  // Of a text that climbed so many rungs: their medians together.
  double climbed_ms(size_t rungs, int64_t tokens) const;

 private:
  using Cells = std::vector<LatencyEstimate>;  // a row of lengths for each level

  size_t cell(size_t row, int64_t tokens) const;

  std::vector<double> budgets_;
  size_t lengths_;
  Cells cells_;
  // Empty without a policy:
  std::vector<LadderStep> steps_;
  Cells ladder_cells_;
  std::vector<double> climbed_ms_;  // a row of lengths for each rung: it and those before it
};

}  // namespace headroom::server
