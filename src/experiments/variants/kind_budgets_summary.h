// The page of kinds of attention times budget methods at matched MACs.
#pragma once

#include <string>
#include <vector>

#include "base/table.h"
#include "experiments/record/record.h"
#include "experiments/summary/page.h"

namespace headroom::experiments::variants {

// What the task of such records is called; the experiment is "variants".
inline constexpr const char* kind_budgets_task = "agnews-budgets";

struct TitledTable {
  std::string title;
  Table table;  // a row per kind, a column per method
};
std::vector<TitledTable> kind_budget_tables(const Runs& runs);

Page summarise_kind_budgets(const Runs& runs);

}  // namespace headroom::experiments::variants
