// What the variants experiment is scored by, and what one arm gains over another.
#pragma once

#include <string>

#include "experiments/runs.h"
#include "experiments/statistics.h"

namespace headroom {

struct VariantsMeasure {
  const char* key;    // of a point
  const char* title;  // "accuracy, %"
  double scale;       // from the point's number to the title's
  bool higher_is_better;
  const char* unit;  // of a gain
};

VariantsMeasure variants_measure(const Json& run);

// Within this of each other two arms count as level; fixed before anything was run.
double margin_of(const VariantsMeasure& measure);

// An arm minus another over the seeds that have both, in the measure's units; positive is better.
Estimate variants_gain(const Runs& runs, const std::string& arm, const std::string& base,
                       const VariantsMeasure& measure);

}  // namespace headroom
