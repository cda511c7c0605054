// Runs of bench-cascade, which differ in data set, seed and machine, as one page: means over seeds
// with intervals, the goals, and a picture for every data set.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "report/statistics.h"

namespace headroom {

// An arm over the seeds of a group.
struct ArmSummary {
  std::string name;
  std::string kind;
  report::Estimate accuracy;
  report::Estimate difference;  // from dense's accuracy, seed by seed
  report::Estimate us_per_text[2];
  report::Estimate time_share[2];
  report::Estimate mean_budget;
  report::Estimate agreement;
};

// Runs of one data set with the same base model on the same machine.
struct RunGroup {
  std::string data;
  std::string base;
  std::string cpu;
  std::vector<Json> runs;  // by seed
  std::vector<ArmSummary> arms;
  std::string picture;  // its file

  bool has_peers() const;
};

// Reads every *.json of `folder`, writes cascade.md, cascade.json and the pictures into `out`, and
// returns the page. Throws ErrorCode::usage where there are no runs.
std::string write_summary(const std::filesystem::path& folder, const std::filesystem::path& out);

}  // namespace headroom
