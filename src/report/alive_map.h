// When the units of a nested model come alive as the budget grows: a heat map with a row per layer
// and a cell per head and per FFN group.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "budget/shape.h"
#include "budget/unit_order.h"

namespace headroom {

// The smallest budget, in hundredths, at which each unit is on; 0 for what is on at any budget.
struct AliveBudgets {
  std::vector<std::vector<double>> heads;   // layers x heads
  std::vector<std::vector<double>> groups;  // layers x FFN groups; no columns: heads only
};
AliveBudgets alive_budgets(const UnitOrder& order, const ModelShape& shape);

// The SVG for an arm of a run; empty where that arm holds no order.
std::string alive_map(const Json& run, const std::string& arm);

}  // namespace headroom
