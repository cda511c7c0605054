// The accuracies that the nested experiment was asked for before it was run, and what became of
// them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "experiments/runs.h"

namespace headroom {

struct Target {
  std::string wish;             // "budget 0.5 at least 92.0 %"
  double least = 0;             // accuracy, or ours minus dense
  std::optional<double> found;  // the mean over the seeds; none where that was not run

  bool met() const;
};

// Those of the runs' task; `ours` is the arm that has to meet them. Empty for tasks without any.
std::vector<Target> nested_targets(const Runs& runs, const std::string& ours);

// One sentence with every target and "met (92.31)", "not met (91.87)" or "not run"; empty without
// targets.
std::string describe_targets(const std::vector<Target>& targets);

Json to_json(const std::vector<Target>& targets);

}  // namespace headroom
