// The arms of an experiment over all seeds: accuracies and paired differences at every budget, as
// tables for a page and as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/table.h"
#include "experiments/record/runs.h"
#include "report/statistics.h"

namespace headroom::experiments {

using namespace report;  // its statistics and plots

struct Arm {
  const char* key;         // in the records
  const char* title;       // in tables and legends
  bool only_full = false;  // has no budgets: others are compared with its one point, at budget 1
};

using Arms = std::span<const Arm>;  // in the order of tables and legends

struct ArmEstimates {
  Arm arm;
  std::vector<Estimate> at;  // one per budget, with count 0 where the arm has no point
};

// Arms without a single value are left out.
std::vector<ArmEstimates> accuracies(const Runs& runs, Arms arms,
                                     const std::vector<double>& budgets,
                                     PointList list = &ArmRecord::points);

// `ours` minus every other arm, over the seeds that have both.
std::vector<ArmEstimates> paired_differences(const Runs& runs, const std::string& ours, Arms arms,
                                             const std::vector<double>& budgets);

// "90.21 ± 0.58", "90.21" with one seed, "-" with none; differences with their sign.
std::string percent_cell(const Estimate& value);
std::string difference_cell(const Estimate& value);

// A row per arm, a column per budget; `corner` heads the column of arms.
Table arm_table(const std::string& corner, const std::vector<double>& budgets,
                const std::vector<ArmEstimates>& rows,
                std::string (*cell)(const Estimate&) = percent_cell);

Json to_json(const Estimate& value);
// arm -> budget -> estimate; null without a row.
Json to_json(const std::vector<ArmEstimates>& rows, const std::vector<double>& budgets);
// The same of accuracies, with the share of dense MACs that each point costs.
Json accuracies_with_costs(const Runs& runs, Arms arms, const std::vector<double>& budgets);

// Titles of the arms that no record holds: said, not left to be noticed.
std::vector<std::string> missing_arms(const Runs& runs, Arms arms);

}  // namespace headroom::experiments
