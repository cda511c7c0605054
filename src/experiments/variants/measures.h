// What the variants experiment is scored by, and what one arm gains over another.
#pragma once

#include <string>

#include "experiments/record/runs.h"
#include "report/statistics.h"

namespace headroom::experiments::variants {

struct Measure {
  const char* key;  // in results.json
  PointField field;
  const char* title;  // "accuracy, %"
  double scale;       // from the point's number to the title's
  bool higher_is_better;
  const char* unit;  // of a gain
};

Measure measure_of(const Record& run);

// What a gain or loss must exceed to matter; fixed 2026-11-15, with the first runs.
double margin_of(const Measure& measure);

// An arm minus another over the seeds that have both, in the measure's units; positive is better.
report::Estimate gain(const Runs& runs, const std::string& arm, const std::string& base,
                      const Measure& measure);
// The same for each test row, as a share of 1 and as means over seeds; empty where the measure is
// not a share of rows, or the records do not hold which were right.
std::vector<double> row_gains(const Runs& runs, const std::string& arm, const std::string& base,
                              const Measure& measure);
// An arm has one point, at whatever budget its MACs come to: a field of it over the seeds.
std::vector<double> only_values(const Runs& runs, const std::string& arm, PointField field);

// How many runs had their best validation at the last step: where most did, more steps might have
// changed who wins.
struct LastBest {
  int last = 0;
  int runs = 0;  // that say which step was best

  bool most() const { return 2 * last > runs; }
};
LastBest last_best(const Runs& runs);

}  // namespace headroom::experiments::variants
