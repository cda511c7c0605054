// Measures how long this machine takes at each budget and length: the table that `calibrate` keeps
// and the server plans with.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "budget/latency_table.h"
#include "engine/model.h"

namespace headroom {

struct CalibrationSettings {
  std::vector<double> budgets = {0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1};
  std::vector<int64_t> lengths;  // none: calibration_lengths() of what the model reads
  int threads = 1;
  int rounds = 31;
  int warmup = 3;
};

// Short inputs are cheap to measure and their fixed costs matter; so lengths grow by half.
std::vector<int64_t> calibration_lengths(int64_t longest);

// All budgets of a length in the same rounds, one input at a time. A model without budgets is
// measured at budget 1. Throws ErrorCode::usage for a length that the model does not read,
// ErrorCode::interrupted after Ctrl-C.
LatencyTable calibrate(const std::shared_ptr<const EngineModel>& model,
                       CalibrationSettings settings, ProgressSink& progress);

}  // namespace headroom
