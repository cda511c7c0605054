#include "experiments/variants/kind_budgets_summary.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/table.h"
#include "budget/attention_kind.h"
#include "experiments/arms.h"
#include "experiments/summary_parts.h"

namespace headroom {
namespace {

constexpr const char* methods[] = {"none", "budgeted", "static"};

// An arm has one point; `key` of it over the seeds.
std::vector<double> point_values(const Runs& runs, const std::string& arm, const char* key) {
  std::vector<double> values;
  for (const Json& run : runs) {
    const Json& arms = run.at("arms");
    if (arms.contains(arm)) values.push_back(arms.at(arm).at("points").at(0).at(key).get<double>());
  }
  return values;
}

// Over the seeds that have both arms.
Estimate paired_gain(const Runs& runs, const std::string& arm, const std::string& base) {
  std::vector<double> values;
  for (const Json& run : runs) {
    const Json& arms = run.at("arms");
    if (!arms.contains(arm) || !arms.contains(base)) continue;
    const auto accuracy = [&](const std::string& name) {
      return arms.at(name).at("points").at(0).at("accuracy").get<double>();
    };
    values.push_back(accuracy(arm) - accuracy(base));
  }
  return estimate(values);
}

std::string arm_name(AttentionKind kind, const char* method) {
  return fmt::format("{}-{}", attention_name(kind), method);
}

template <typename Cell>
Table kind_table(const Cell& cell) {
  Table table{{"attention", methods[0], methods[1], methods[2]}, {}};
  for (const AttentionKind kind : all_attention_kinds) {
    std::vector<std::string> row = {std::string(attention_name(kind))};
    for (const char* method : methods) row.push_back(cell(arm_name(kind, method)));
    table.rows.push_back(row);
  }
  return table;
}

Json results_of(const Runs& runs) {
  Json results = describe_results("variants", runs, reproduce_command("variants", runs));
  for (const AttentionKind kind : all_attention_kinds) {
    for (const char* method : methods) {
      const std::string name = arm_name(kind, method);
      const std::vector<double> accuracies = point_values(runs, name, "accuracy");
      if (accuracies.empty()) continue;
      results["arms"][name] = {
          {"accuracy", to_json(estimate(accuracies))},
          {"gain_over_standard_none", to_json(paired_gain(runs, name, "standard-none"))},
          {"model_macs", estimate(point_values(runs, name, "model_macs")).mean},
          {"active_heads", estimate(point_values(runs, name, "active_heads")).mean}};
    }
  }
  return results;
}

}  // namespace

KindBudgetsSummary summarise_kind_budgets(const std::vector<Json>& runs) {
  if (runs.empty()) throw Error(ErrorCode::usage, "summarise", "there are no runs");
  const Json& shape = runs[0].at("shape");
  const std::string model =
      fmt::format("{} layers, width {}, {} heads, FFN {}", shape.at("layers").dump(),
                  shape.at("width").dump(), shape.at("heads").dump(), shape.at("ffn").dump());
  const auto mean = [&](const std::string& arm, const char* key, double scale, int decimals) {
    const Estimate value = estimate(point_values(runs, arm, key));
    return value.count == 0 ? std::string("-")
                            : fmt::format("{:.{}f}", scale * value.mean, decimals);
  };
  KindBudgetsSummary summary;
  summary.results = results_of(runs);
  summary.tables = {
      {"Test accuracy, %", kind_table([&](const auto& arm) {
         return percent_cell(estimate(point_values(runs, arm, "accuracy")));
       })},
      {"Gain over standard without a budget, points, paired", kind_table([&](const auto& arm) {
         return difference_cell(paired_gain(runs, arm, "standard-none"));
       })},
      {"Heads kept, %",
       kind_table([&](const auto& arm) { return mean(arm, "active_heads", 100, 1); })},
      {"Whole-model MACs, millions",
       kind_table([&](const auto& arm) { return mean(arm, "model_macs", 1e-6, 2); })}};
  summary.page = fmt::format(
      "# Kinds of attention and budgets at the same MACs\n\nMade by `{}`.\n\n{}\n"
      "Every arm may cost what Standard costs with a quarter of its heads; where heads cost less, "
      "more of them are kept. `none` has only so many heads from the start, `budgeted` and "
      "`static` choose them. All arms take the same steps.\n",
      reproduce_command("variants", runs), describe_setting(runs, model));
  for (const auto& [title, table] : summary.tables) {
    summary.page += fmt::format("\n## {}\n\n{}", title, markdown(table));
  }
  return summary;
}

}  // namespace headroom
