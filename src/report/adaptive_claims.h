// The claims of BudgetFormer (arXiv 2604.22583) against what the runs show: a number, its interval
// over the seeds and a verdict that follows from them by a rule.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "report/runs.h"

namespace headroom {

struct Claim {
  int number = 0;  // in docs/adaptive.md
  std::string statement;
  std::string found;
  std::string verdict;
};

// `ours` is the adaptive arm compared with dense. A claim whose arms were not run says so.
std::vector<Claim> adaptive_claims(const Runs& runs, const std::string& ours, const Json& timing);

Json to_json(const std::vector<Claim>& claims);

}  // namespace headroom
