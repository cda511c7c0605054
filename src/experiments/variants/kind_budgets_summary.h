// The page of kinds of attention times budget methods at matched MACs.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/table.h"

namespace headroom {

struct KindBudgetsTable {
  std::string title;
  Table table;  // a row per kind, a column per method
};

struct KindBudgetsSummary {
  Json results;                          // results.json
  std::string page;                      // README.md
  std::vector<KindBudgetsTable> tables;  // of the page
};

// What the task of such runs is called; the experiment is "variants".
inline constexpr const char* kind_budgets_results = "agnews-budgets";

KindBudgetsSummary summarise_kind_budgets(const std::vector<Json>& runs);

}  // namespace headroom
