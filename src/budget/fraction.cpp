#include "budget/fraction.h"

#include <fmt/format.h>

#include <charconv>

#include "base/error.h"

namespace headroom {

double checked_budget(double budget) {
  if (!(budget > 0.0 && budget <= 1.0)) {
    throw Error(ErrorCode::usage, "read budget",
                fmt::format("{} is not a budget: give a fraction above 0 and at most 1", budget));
  }
  return budget;
}

double parse_budget(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw Error(ErrorCode::usage, "read budget",
                fmt::format("\"{}\" is not a budget: give a fraction above 0 and at most 1", text));
  }
  return checked_budget(value);
}

Budget checked_spending(double fraction) {
  return Budget{fraction == 0 ? 0 : checked_budget(fraction)};
}

Budget parse_spending(std::string_view text) {
  if (text == "auto") return {.automatic = true};
  if (text == "0") return Budget{0};
  return Budget{parse_budget(text)};
}

std::vector<Budget> parse_spendings(std::string_view comma_list) {
  std::vector<Budget> budgets;
  while (true) {
    const size_t comma = comma_list.find(',');
    budgets.push_back(parse_spending(comma_list.substr(0, comma)));
    if (comma == std::string_view::npos) return budgets;
    comma_list.remove_prefix(comma + 1);
  }
}

std::string spending_name(const Budget& budget) {
  return budget.automatic ? "auto" : fmt::format("{}", budget.fraction);
}

std::vector<double> parse_budgets(std::string_view comma_list) {
  std::vector<double> budgets;
  while (true) {
    const size_t comma = comma_list.find(',');
    budgets.push_back(parse_budget(comma_list.substr(0, comma)));
    if (comma == std::string_view::npos) return budgets;
    comma_list.remove_prefix(comma + 1);
  }
}

}  // namespace headroom
