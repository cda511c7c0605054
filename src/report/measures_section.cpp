#include "report/measures_section.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/html_parts.h"

namespace headroom::report {
namespace {

const NamedMeasure* find_measure(const BudgetScore& score, std::string_view name) {
  const auto found = std::find_if(score.measures.begin(), score.measures.end(),
                                  [&](const NamedMeasure& each) { return each.name == name; });
  return found == score.measures.end() ? nullptr : &*found;
}

Table measures_table(const std::vector<BudgetScore>& budgets,
                     const std::vector<BudgetScore>& ladder) {
  Table table{{"budget"}, {}};
  for (const NamedMeasure& each : budgets.back().measures) table.header.push_back(each.name);
  table.header.emplace_back("loss");
  const auto add = [&](const BudgetScore& score) {
    std::vector<std::string> cells = {budget_title(score)};
    for (const NamedMeasure& each : budgets.back().measures) {
      const NamedMeasure* const found = find_measure(score, each.name);
      cells.push_back(found == nullptr ? "" : fmt::format("{:.4f}", found->value));
    }
    cells.push_back(fmt::format("{:.4f}", score.loss));
    table.rows.push_back(cells);
  };
  for (const BudgetScore& score : budgets) add(score);
  for (const BudgetScore& score : ladder) add(score);
  return table;
}

// What a smaller budget does to answers when its scores move: fewer or more labels reach a
// threshold that was set for other scores, or rows change places.
struct Drift {
  std::vector<std::string_view> measures;
  std::string_view caption;
};

Drift drift_of(const BudgetScore& score) {
  if (find_measure(score, "rank_correlation") != nullptr) {
    return {{"rank_correlation"},
            "How alike the order of the rows is to that at budget 1 (Spearman's correlation): what "
            "falls here changes places, whatever the rows' truth says."};
  }
  if (find_measure(score, "precision") != nullptr && find_measure(score, "recall") != nullptr) {
    return {{"precision", "recall"},
            "Where both fall together a budget knows less. Where they part, its scores have moved: "
            "too many answers are given, or too few."};
  }
  return {};
}

LinePlot drift_plot(const std::vector<BudgetScore>& budgets, const Drift& drift,
                    const std::string& name) {
  LinePlot plot;
  plot.title = fmt::format("Drift of scores with the budget: {}", name);
  plot.x_label = "whole-model MACs, share of dense";
  plot.x_format = ValueFormat::percent;
  plot.y_label = drift.measures.size() == 1 ? std::string(drift.measures[0]) : "share";
  for (const std::string_view measure : drift.measures) {
    Series series;
    series.name = measure;
    for (const BudgetScore& score : budgets) {
      const NamedMeasure* const found = find_measure(score, measure);
      if (found == nullptr) continue;
      series.x.push_back(score.model_macs_fraction);
      series.y.push_back(found->value);
    }
    plot.series.push_back(series);
  }
  return plot;
}

}  // namespace

std::string measures_section(const std::vector<BudgetScore>& budgets,
                             const std::vector<BudgetScore>& ladder, const std::string& name) {
  if (budgets.back().measure != Measure::named) return "";
  std::string html = html_table(measures_table(budgets, ladder));
  const Drift drift = drift_of(budgets.back());
  if (budgets.size() < 2 || drift.measures.empty()) return html;
  return html + html_figure(drift_plot(budgets, drift, name), drift.caption);
}

}  // namespace headroom::report
