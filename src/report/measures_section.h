// All that a task is measured by besides its headline, budget by budget: the part of a report on
// tags, several labels, numbers, rankings and vectors.
#pragma once

#include <string>
#include <vector>

#include "budget/score.h"

namespace headroom::report {

// HTML; empty for tasks that have accuracy alone. `budgets` rise; `ladder` is what budgets rung
// zero and auto scored, if anything.
std::string measures_section(const std::vector<BudgetScore>& budgets,
                             const std::vector<BudgetScore>& ladder, const std::string& name);

}  // namespace headroom::report
