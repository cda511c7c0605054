// From the per-seed result files of the budgeted experiment to what people read: one JSON, one
// Markdown page, four plots.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "experiments/arms.h"

namespace headroom {

// Every arm of the experiment, in the order of tables and legends.
Arms budgeted_arms();

struct BudgetedSummary {
  Json results;                // means and intervals of every arm and budget, paired differences
  std::string page;            // Markdown
  std::string accuracy;        // SVG: accuracy against whole-model MACs, all arms
  std::string accuracy_close;  // SVG: the same, framed on the arms that hold
  std::string gates;           // SVG: gate per layer and head at several budgets, first seed
  std::string mass;            // SVG: mean gate against budget, every seed
};

// `runs` are the contents of the per-seed files (at least one), `timing` a bench run with where and
// when it was made.
BudgetedSummary summarise_budgeted(const std::vector<Json>& runs, const Json& timing);

}  // namespace headroom
