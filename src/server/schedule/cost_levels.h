// What a text costs at each budget that the controller may take: the latency table, interpolated
// once for every length, so that a queue can be added up in microseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "budget/ladder/policy.h"
#include "budget/latency_table.h"

namespace headroom::server {

class CostLevels {
 public:
  // The measured budgets from `least` to `most`, those two and the middles between neighbours:
  // steps of 1/16, as `calibrate` measures eighths. A model that was measured at one budget has
  // that one. Inputs have up to `longest` tokens.
  //
  // With a policy every level has thresholds too: the promised ones at the top, down to those at
  // which the first rung answers all.
  CostLevels(const LatencyTable& table, double least, double most, int64_t longest,
             const Policy* policy = nullptr);

  size_t count() const { return budgets_.size(); }
  size_t top() const { return budgets_.size() - 1; }
  double budget(size_t level) const { return budgets_[level]; }  // ascending
  const LatencyEstimate& estimate(size_t level, int64_t tokens) const;

  // Of a text that climbs the ladder: on average, and what nine in ten take no more than.
  const LatencyEstimate& ladder_estimate(size_t level, int64_t tokens) const;
  size_t ladder_level(size_t level) const { return ladder_levels_[level]; }  // the policy's

 private:
  const LatencyEstimate& cell(const std::vector<LatencyEstimate>& cells, size_t level,
                              int64_t tokens) const;

  std::vector<double> budgets_;
  size_t lengths_;
  std::vector<LatencyEstimate> cells_;         // a row of lengths per level
  std::vector<LatencyEstimate> ladder_cells_;  // likewise; empty without a policy
  std::vector<size_t> ladder_levels_;
};

}  // namespace headroom::server
