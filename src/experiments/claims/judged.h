// Every claim with what each folder of results, or arithmetic, says about it, and the verdict.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/claims/claims.h"

namespace headroom::experiments {

// What one folder, or arithmetic, says about one claim.
struct Statement {
  std::string subject;                    // "agnews-pretrained": a column of the matrix
  const ResultsFolder* folder = nullptr;  // none: from several folders, or counted
  Finding finding;
  const ChosenAfterwards* afterwards = nullptr;
  std::vector<Tails> tails = {};  // of the claim's tests, corrected
  Verdict verdict = Verdict::inconclusive;
};

struct JudgedClaim {
  Claim claim;
  std::vector<Statement> statements;
};

std::string page_file(const Claim& claim);  // "claims/07.md"

// Of all claims, in their order. The statements point into `folders`. `results` holds what was
// measured beside them: attention-kinds.json.
std::vector<JudgedClaim> judge_all(const std::vector<ResultsFolder>& folders,
                                   const std::filesystem::path& results);

}  // namespace headroom::experiments
