// A folder that `reproduce` wrote: results.json, timing.json and a record per seed under runs/.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "experiments/summary/arms.h"

namespace headroom::experiments {

struct ResultsFolder {
  std::string name;        // of the folder: "budgeted-agnews"
  std::string experiment;  // "budgeted"
  std::string task;        // "agnews"
  Json results;
  Json timing;  // {} where nothing was timed
  Runs runs;    // at least one, in the order of the seeds
};

// Throws ErrorCode::bad_data when results.json or every run is missing, or one is damaged.
ResultsFolder read_results(const std::filesystem::path& folder);

// Those directly in `parent` that hold a results.json with an experiment and runs, by name.
std::vector<ResultsFolder> read_all_results(const std::filesystem::path& parent);

// The arms of an experiment. One that this version does not know has those of its records, under
// the names they have there, which must outlive this.
struct ExperimentArms {
  std::vector<Arm> all;
  Arm ours;  // what the others are compared with
};
ExperimentArms arms_of(const ResultsFolder& folder);

}  // namespace headroom::experiments
