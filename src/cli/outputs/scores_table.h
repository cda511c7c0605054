// Scores at several budgets, for people.
#pragma once

#include <vector>

#include "base/table.h"
#include "budget/score.h"

namespace headroom {

Table scores_table(const std::vector<BudgetScore>& scores);

}  // namespace headroom
