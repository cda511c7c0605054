// The page of kinds of attention times budget methods at matched MACs.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace headroom {

struct KindBudgetsSummary {
  Json results;      // results.json
  std::string page;  // README.md
};

KindBudgetsSummary summarise_kind_budgets(const std::vector<Json>& runs);

}  // namespace headroom
