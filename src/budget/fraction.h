// Budgets as people write them: one fraction in (0, 1], or a comma-separated list; 0 and "auto"
// where a model with a policy answers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "headroom/types.h"

namespace headroom {

// Returns `budget` if it is in (0, 1]; otherwise (NaN included) throws ErrorCode::usage.
double checked_budget(double budget);

double parse_budget(std::string_view text);
std::vector<double> parse_budgets(std::string_view comma_list);

// What answering a text may cost: a fraction as above, 0 (rung zero alone) or "auto". The command
// line, the server and Python all read it here.
Budget parse_spending(std::string_view text);
Budget checked_spending(double fraction);
std::vector<Budget> parse_spendings(std::string_view comma_list);
std::string spending_name(const Budget& budget);  // "0.25", "auto"

}  // namespace headroom
