// docs/results/missing.md: what the claims still need so that each rests on arms that one commit
// made, derived from the records, with the commands that make it.
#pragma once

#include <string>
#include <vector>

#include "experiments/claims/judged.h"

namespace headroom::experiments {

// Markdown.
std::string missing_page(const std::vector<JudgedClaim>& all,
                         const std::vector<ResultsFolder>& folders);

// Why a folder's records are not the work of one commit; empty where they are.
std::string provenance_gap(const ResultsFolder& folder);

// "super-xavier (2 of 3 seeds)" for each arm that some of a folder's seeds lack.
std::vector<std::string> partial_arms(const ResultsFolder& folder);

}  // namespace headroom::experiments
