// How long one input takes on one machine, measured at several budgets and lengths; and the largest
// budget that meets a latency target.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace headroom {

// `calibrate` measures 56; looking a time up walks over all of them.
inline constexpr size_t max_latency_cells = 4096;

struct LatencyCell {
  double budget = 1;
  int64_t tokens = 0;
  double median_ms = 0;
  double p90_ms = 0;
};

struct LatencyEstimate {
  double median_ms = 0;
  double p90_ms = 0;
};

struct LatencyTable {
  std::string machine;    // the CPU it was measured on
  std::string precision;  // "fp32", ...
  int threads = 1;
  std::string date;
  std::vector<LatencyCell> cells;  // every budget at every length

  std::vector<double> budgets() const;   // ascending
  std::vector<int64_t> lengths() const;  // ascending

  // Linear between measured budgets and lengths. Outside the measured lengths time is taken to grow
  // in proportion; below the smallest budget it is that budget's.
  LatencyEstimate estimate(double budget, int64_t tokens) const;

  // The largest measured budget whose p90 is at most `target_ms`; nothing when none is.
  std::optional<double> largest_budget(double target_ms, int64_t tokens) const;

  // The same, but throws ErrorCode::target_unreachable when none is.
  double budget_for(double target_ms, int64_t tokens) const;
};

Json to_json(const LatencyTable& table);

// Throws ErrorCode::bad_model unless every budget has every length, with times above 0 that p90 is
// not below the median of.
LatencyTable latency_table_from_json(const Json& json);

}  // namespace headroom
