#include "experiments/summary/arms.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace headroom::experiments {
namespace {

// A row per arm that has any value; `values(arm, budget)` are those of the seeds.
template <typename Values>
std::vector<ArmEstimates> estimates(Arms arms, const std::vector<double>& budgets,
                                    const Values& values) {
  std::vector<ArmEstimates> rows;
  for (const Arm& arm : arms) {
    ArmEstimates row{arm, {}};
    int found = 0;
    for (const double budget : budgets) {
      row.at.push_back(estimate(values(arm, budget)));
      found += row.at.back().count;
    }
    if (found > 0) rows.push_back(row);
  }
  return rows;
}

// One seed has no interval: "± 0.00" would claim certainty.
std::string with_interval(const std::string& mean, const Estimate& value) {
  if (value.count == 0) return "-";
  return value.count == 1 ? mean : fmt::format("{} ± {:.2f}", mean, 100 * value.half_width);
}

}  // namespace

std::vector<ArmEstimates> accuracies(const Runs& runs, Arms arms,
                                     const std::vector<double>& budgets, PointList list) {
  return estimates(arms, budgets, [&](const Arm& arm, double budget) {
    return values_of(runs, arm.key, budget, &Point::accuracy, list);
  });
}

std::vector<ArmEstimates> paired_differences(const Runs& runs, const std::string& ours, Arms arms,
                                             const std::vector<double>& budgets) {
  return estimates(arms, budgets, [&](const Arm& arm, double budget) {
    if (arm.key == ours) return std::vector<double>();
    return paired(runs, ours, budget, arm.key, arm.only_full ? 1.0 : budget);
  });
}

std::string percent_cell(const Estimate& value) {
  return with_interval(fmt::format("{:.2f}", 100 * value.mean), value);
}

std::string difference_cell(const Estimate& value) {
  return with_interval(fmt::format("{:+.2f}", 100 * value.mean), value);
}

Table arm_table(const std::string& corner, const std::vector<double>& budgets,
                const std::vector<ArmEstimates>& rows, std::string (*cell)(const Estimate&)) {
  Table table{{corner}, {}};
  for (const double budget : budgets) table.header.push_back(fmt::format("{}", budget));
  for (const ArmEstimates& row : rows) {
    std::vector<std::string> cells = {row.arm.title};
    std::transform(row.at.begin(), row.at.end(), std::back_inserter(cells), cell);
    table.rows.push_back(cells);
  }
  return table;
}

Json to_json(const Estimate& value) {
  return {{"mean", value.mean},
          {"deviation", value.deviation},
          {"low", value.low()},
          {"high", value.high()},
          {"seeds", value.count}};
}

Json to_json(const std::vector<ArmEstimates>& rows, const std::vector<double>& budgets) {
  Json json;
  for (const ArmEstimates& row : rows) {
    for (size_t i = 0; i < budgets.size(); ++i) {
      if (row.at[i].count == 0) continue;
      json[row.arm.key][fmt::format("{}", budgets[i])] = to_json(row.at[i]);
    }
  }
  return json;
}

Json accuracies_with_costs(const Runs& runs, Arms arms, const std::vector<double>& budgets) {
  Json json = to_json(accuracies(runs, arms, budgets), budgets);
  for (const Arm& arm : arms) {
    for (const double budget : budgets) {
      const Estimate share = estimate(values_of(runs, arm.key, budget, &Point::macs_fraction));
      if (share.count == 0) continue;
      json[arm.key][fmt::format("{}", budget)]["macs_fraction"] = share.mean;
    }
  }
  return json;
}

std::vector<std::string> missing_arms(const Runs& runs, Arms arms) {
  std::vector<std::string> titles;
  for (const Arm& arm : arms) {
    const bool found = std::any_of(runs.begin(), runs.end(),
                                   [&](const Record& run) { return run.find(arm.key) != nullptr; });
    if (!found) titles.emplace_back(arm.title);
  }
  return titles;
}

}  // namespace headroom::experiments
