// What the records of the adaptive experiment say about the claims of BudgetFormer (arXiv
// 2604.22583): a number, its interval over the seeds and a verdict that follows from them by a
// rule.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "experiments/claims/claims.h"

namespace headroom::experiments::adaptive {

// `ours` is the adaptive arm compared with dense. A claim whose arms were not run has no verdict.
std::vector<Finding> judge(const Runs& runs, const std::string& ours, const Json& timing);

}  // namespace headroom::experiments::adaptive
