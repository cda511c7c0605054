// Budgets as people write them: one fraction in (0, 1], or a comma-separated list.
#pragma once

#include <string_view>
#include <vector>

namespace headroom {

// Returns `budget` if it is in (0, 1]; otherwise (NaN included) throws ErrorCode::usage.
double checked_budget(double budget);

double parse_budget(std::string_view text);
std::vector<double> parse_budgets(std::string_view comma_list);

}  // namespace headroom
