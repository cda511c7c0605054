// Measures what a report tells about a checkpoint: answers over labelled rows at several budgets,
// times, memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "headroom/types.h"
#include "report/model_report.h"

namespace headroom {

struct MeasureRequest {
  std::filesystem::path model;
  std::string data;  // SPEC; a synthetic model makes its own rows
  std::filesystem::path data_dir;
  std::vector<double> budgets;  // ascending
  // Of 0 (rung zero alone) and auto those that are scored, too; not given: those that it has.
  std::optional<std::vector<Budget>> ladder = {};
  std::string precision = "fp32";
  int threads = 0;                     // that score the rows; times are those of one
  std::vector<int64_t> tokens;         // lengths to time; none: the rows' mean
  std::vector<int64_t> batches = {1};  // batch sizes to time
  int rounds = 51;                     // of timing; 0: no times
};

report::MeasuredModel measure_model(const MeasureRequest& request, ProgressSink& progress);

}  // namespace headroom
