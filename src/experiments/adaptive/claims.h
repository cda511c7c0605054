// What the records of the adaptive experiment say about the claims of BudgetFormer (arXiv
// 2604.22583): numbers with their intervals over the seeds. Verdicts follow by claims/rule.h.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "experiments/claims/claims.h"

namespace headroom::experiments::adaptive {

// `ours` is the adaptive arm compared with dense. A claim whose arms were not run has no
// evidence.
std::vector<Finding> judge(const Runs& runs, const std::string& ours, const Json& timing);

}  // namespace headroom::experiments::adaptive
