#include "experiments/variants/kind_budgets_summary.h"

#include <fmt/format.h>

#include <iterator>

#include "budget/attention_kind.h"
#include "experiments/summary/parts.h"
#include "experiments/variants/measures.h"

namespace headroom::experiments::variants {
namespace {

constexpr const char* methods[] = {"none", "budgeted", "static", "adaptive", "capped"};

std::string arm_name(AttentionKind kind, const char* method) {
  return fmt::format("{}-{}", attention_name(kind), method);
}

template <typename Cell>
Table kind_table(const Cell& cell) {
  Table table{{"attention"}, {}};
  table.header.insert(table.header.end(), std::begin(methods), std::end(methods));
  for (const AttentionKind kind : all_attention_kinds) {
    std::vector<std::string> row = {std::string(attention_name(kind))};
    for (const char* method : methods) row.push_back(cell(arm_name(kind, method)));
    table.rows.push_back(row);
  }
  return table;
}

// Over the seeds that have both arms, as a share.
Estimate paired_gain(const Runs& runs, const std::string& arm) {
  Measure measure = measure_of(runs[0]);
  measure.scale = 1;
  return gain(runs, arm, "standard-none", measure);
}

Json results_of(const Runs& runs) {
  Json results = describe_results("variants", runs);
  for (const AttentionKind kind : all_attention_kinds) {
    for (const char* method : methods) {
      const std::string name = arm_name(kind, method);
      const std::vector<double> accuracies = only_values(runs, name, &Point::accuracy);
      if (accuracies.empty()) continue;
      const auto mean = [&](PointField field) {
        return estimate(only_values(runs, name, field)).mean;
      };
      results["arms"][name] = {{"accuracy", to_json(estimate(accuracies))},
                               {"gain_over_standard_none", to_json(paired_gain(runs, name))},
                               {"model_macs", mean(&Point::model_macs)},
                               {"active_heads", mean(&Point::active_heads)}};
    }
  }
  return results;
}

}  // namespace

std::vector<TitledTable> kind_budget_tables(const Runs& runs) {
  const auto mean = [&](const std::string& arm, PointField field, double scale, int decimals) {
    const Estimate value = estimate(only_values(runs, arm, field));
    return value.count == 0 ? std::string("-")
                            : fmt::format("{:.{}f}", scale * value.mean, decimals);
  };
  return {{"Test accuracy, %", kind_table([&](const auto& arm) {
             return percent_cell(estimate(only_values(runs, arm, &Point::accuracy)));
           })},
          {"Gain over standard without a budget, points, paired",
           kind_table([&](const auto& arm) { return difference_cell(paired_gain(runs, arm)); })},
          {"Heads kept, %",
           kind_table([&](const auto& arm) { return mean(arm, &Point::active_heads, 100, 1); })},
          {"Whole-model MACs, millions",
           kind_table([&](const auto& arm) { return mean(arm, &Point::model_macs, 1e-6, 2); })}};
}

Page summarise_kind_budgets(const Runs& runs) {
  std::string text =
      page_heading("Kinds of attention and budgets at the same MACs", "variants", runs,
                   describe_sizes(runs[0])) +
      "\nEvery arm may cost what Standard costs with a quarter of its heads; where heads cost "
      "less, "
      "more of them are kept. `none` has only so many heads from the start, `budgeted` and "
      "`static` choose them, `adaptive` for each text, with controllers that are paid from the "
      "same "
      "allowance; `capped` is `budgeted` and `adaptive` together. All arms take the same steps. "
      "Mean ± half the 95 % interval over seeds.\n";
  for (const auto& [title, table] : kind_budget_tables(runs)) {
    text += fmt::format("\n## {}\n\n{}", title, markdown(table));
  }
  return {results_of(runs), text, {}};
}

}  // namespace headroom::experiments::variants
