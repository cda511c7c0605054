// The claims of BudgetFormer (arXiv 2604.22583) against what the runs show: a number, its interval
// over the seeds and a verdict that follows from them by a rule.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "experiments/claims/claims.h"
#include "experiments/runs.h"

namespace headroom {

struct JudgedClaim {
  int number = 0;  // as in report/claims.h
  std::string statement;
  std::string found;
  std::string verdict;  // in words
  Verdict outcome = Verdict::inconclusive;
};

// `ours` is the adaptive arm compared with dense. A claim whose arms were not run says so.
std::vector<JudgedClaim> adaptive_claims(const Runs& runs, const std::string& ours,
                                         const Json& timing);

Json to_json(const std::vector<JudgedClaim>& claims);

}  // namespace headroom
