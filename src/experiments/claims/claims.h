// What the three papers claim, and what our stored results say about each claim. To let a new
// experiment speak: write a reader for its folders and name it in claim_sources().
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/results_folder.h"

namespace headroom {

enum class Verdict { reproduced, partly, not_reproduced, inconclusive };
std::string_view verdict_name(Verdict verdict);

struct Claim {
  int number = 0;
  std::string_view paper;  // "P1"
  std::string_view statement;
  std::string_view data;        // the paper's
  std::string_view published;   // the paper's number
  std::string_view test;        // what decides
  std::string_view experiment;  // of `reproduce`, that tests it; empty: arithmetic does
  std::vector<std::string_view> tasks = {};  // of that experiment
};

const std::vector<Claim>& published_claims();

// What one folder, or arithmetic, says about one claim.
struct Finding {
  int claim = 0;
  std::string ours;
  Verdict verdict = Verdict::inconclusive;
};

// How an experiment's folders speak about claims.
struct ClaimSource {
  std::string_view experiment;
  std::vector<Finding> (*read)(const ResultsFolder& folder);
};
std::span<const ClaimSource> claim_sources();

std::vector<Finding> budgeted_findings(const ResultsFolder& folder);
std::vector<Finding> adaptive_findings(const ResultsFolder& folder);
std::vector<Finding> variants_findings(const ResultsFolder& folder);

// What the folders of the size series say together.
std::vector<Finding> size_findings(std::span<const ResultsFolder> folders);

// Claims about numbers of parameters and MACs need no run.
std::vector<Finding> counted_findings();

}  // namespace headroom
