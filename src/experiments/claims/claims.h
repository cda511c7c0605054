// What the three papers claim (claims.json), and what our stored results say about each claim. To
// let a new experiment speak: write a reader for its folders and name it in claim_sources().
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/claims/rule.h"
#include "experiments/summary/results_folder.h"

namespace headroom::experiments {

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
  std::string rule;                // what is compared
  std::string experiment;          // of `reproduce`, that tests it; empty: arithmetic does
  std::vector<std::string> tasks;  // of that experiment
  Combination combination = Combination::all;
  std::vector<Criterion> tests;  // what decides, the same for all data sets
};

// What stands behind a task's name, where that is not what the name says.
struct DataNote {
  std::string task;
  std::string what;
};

// Results whose setting was chosen when test results were known: told, not counted.
struct ChosenAfterwards {
  std::string folder;
  std::string why;
};

// From claims.json, which is part of the program.
const std::vector<Paper>& papers();
const std::vector<DataNote>& data_notes();
const DataNote* data_note(const std::string& task);  // null: the set is what its name says
const std::vector<Claim>& published_claims();
const Claim& claim_numbered(int number);

// Differences smaller than this do not matter, in that unit ("points").
double margin_of_unit(const std::string& unit);
// Null: its setting was chosen without test results.
const ChosenAfterwards* chosen_afterwards(const std::string& folder);

// In the effect's unit.
double threshold_for(const Criterion& criterion, const std::string& unit);

// What was measured for one of a claim's tests.
struct Evidence {
  std::string test;
  Effect effect;
  std::optional<Tails> tails = {};  // where it is not Student's t that decides
  std::string open = {};            // why it can decide nothing; empty: it can
};

// What one folder, or arithmetic, says about one claim. Its verdict follows from all folders.
struct Finding {
  int claim = 0;
  std::string found;               // the numbers
  std::vector<Evidence> evidence;  // none: its arms were not run
};

Json to_json(const std::vector<Finding>& findings);

// The tails of a claim's tests in each of several findings about it (outer: findings, inner: the
// claim's tests), corrected over those findings. A test without evidence stays open.
std::vector<std::vector<Tails>> corrected_tails(const Claim& claim,
                                                std::span<const Finding* const> findings);

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
// What bench-attention measured says about time.
std::vector<Finding> time_findings(const Json& timing);
// What the folders of the size series say together.
std::vector<Finding> size_findings(std::span<const ResultsFolder> folders);
}  // namespace variants

// Claims about numbers of parameters and MACs need no run.
std::vector<Finding> counted_findings();

}  // namespace headroom::experiments
