// When the units of a model come alive as the budget grows: a heat map with a row per layer
// and a cell per head and per FFN group.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "budget/shape.h"
#include "budget/unit_order.h"

namespace headroom::report {

// The smallest budget, in hundredths, at which each unit is on; 0 for what is on at any budget.
struct AliveBudgets {
  std::vector<std::vector<double>> heads;   // layers x heads
  std::vector<std::vector<double>> groups;  // layers x FFN groups; no columns: heads only
};
AliveBudgets alive_budgets(const UnitOrder& order, const ModelShape& shape);

// What a budget keeps, from wherever the model has its order. `group_width` 0: heads only.
struct BudgetSelections {
  std::function<Selection(double budget)> at;
  int64_t group_width = 0;
  bool by_importance = false;  // each layer's units are stored so, the most important first
};
BudgetSelections selections_of(const UnitOrder& order, const ModelShape& shape);

AliveBudgets alive_budgets(const BudgetSelections& selections, const ModelShape& shape);

// The SVG; `subject` says whose units these are, in the subtitle.
std::string alive_map(const BudgetSelections& selections, const ModelShape& shape,
                      const std::string& subject);

}  // namespace headroom::report
