// From the per-seed result files of the adaptive experiment (heads chosen per input) to what people
// read: one JSON, one Markdown page, plots.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json.h"

namespace headroom {

struct AdaptiveSummary {
  Json results;
  std::string page;                                        // shows the plots by their file names
  std::vector<std::pair<std::string, std::string>> plots;  // file name, SVG
};

// `runs` are the contents of the per-seed files (at least one), of which any may lack any arm.
// `timing` is what the engine measured with the kept checkpoints; {} where nothing was timed.
AdaptiveSummary summarise_adaptive(const std::vector<Json>& runs, const Json& timing);

}  // namespace headroom
