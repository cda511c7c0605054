// What the three papers claim (claims.json), and what our stored results say about each claim. To
// let a new experiment speak: write a reader for its folders and name it in claim_sources().
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/summary/results_folder.h"

namespace headroom::experiments {

enum class Verdict { reproduced, partly, not_reproduced, inconclusive };

std::string_view verdict_name(Verdict verdict);

struct Paper {
  std::string id;     // "P1"; "ours" for what no paper claims
  std::string title;  // with its arXiv number
};

struct Claim {
  int number = 0;
  std::string paper;
  std::string claim;
  std::string data;                // the paper's
  std::string published;           // the paper's number
  std::string rule;                // what decides
  std::string experiment;          // of `reproduce`, that tests it; empty: arithmetic does
  std::vector<std::string> tasks;  // of that experiment
};

// From claims.json, which is part of the program.
const std::vector<Paper>& papers();
const std::vector<Claim>& published_claims();
const Claim& claim_numbered(int number);

// What one folder, or arithmetic, says about one claim.
struct Finding {
  int claim = 0;
  std::string found;                              // the numbers
  std::optional<Verdict> verdict = std::nullopt;  // none: its arms were not run
  std::string words = {};  // the verdict with what it does not cover; may be empty
};

Json to_json(const std::vector<Finding>& findings);

// How an experiment's folders speak about claims.
struct ClaimSource {
  std::string_view experiment;
  std::vector<Finding> (*read)(const ResultsFolder& folder);
};
std::span<const ClaimSource> claim_sources();

namespace budgeted {
std::vector<Finding> findings(const ResultsFolder& folder);
}
namespace adaptive {
std::vector<Finding> findings(const ResultsFolder& folder);
}
namespace variants {
std::vector<Finding> findings(const ResultsFolder& folder);
// What the folders of the size series say together.
std::vector<Finding> size_findings(std::span<const ResultsFolder> folders);
}  // namespace variants

// Claims about numbers of parameters and MACs need no run.
std::vector<Finding> counted_findings();

}  // namespace headroom::experiments
