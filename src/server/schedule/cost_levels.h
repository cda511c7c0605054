// What a text costs at each budget that the controller may take: the latency table, interpolated
// once for every length, so that a queue can be added up in microseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "budget/latency_table.h"

namespace headroom::server {

class CostLevels {
 public:
  // The measured budgets from `least` to `most`, those two and the middles between neighbours:
  // steps of 1/16, as `calibrate` measures eighths. A model that was measured at one budget has
  // that one. Inputs have up to `longest` tokens.
  CostLevels(const LatencyTable& table, double least, double most, int64_t longest);

  size_t count() const { return budgets_.size(); }
  size_t top() const { return budgets_.size() - 1; }
  double budget(size_t level) const { return budgets_[level]; }  // ascending
  const LatencyEstimate& estimate(size_t level, int64_t tokens) const;

 private:
  std::vector<double> budgets_;
  size_t lengths_;
  std::vector<LatencyEstimate> cells_;  // a row of lengths per level
};

}  // namespace headroom::server
