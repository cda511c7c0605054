#include "report/budgeted_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/table.h"
#include "budget/gates.h"
#include "report/heat_map.h"
#include "report/line_plot.h"
#include "report/statistics.h"

namespace headroom {
namespace {

struct ArmStyle {
  const char* key;
  const char* title;
};

// In the order of tables and legends.
constexpr ArmStyle arm_styles[] = {
    {"dense", "dense"},
    {"budgeted", "budgeted (one checkpoint)"},
    {"budgeted-free", "budgeted, free slopes"},
    {"post-hoc", "post-hoc, zero-shot"},
    {"recovery", "post-hoc + recovery (specialists)"},
    {"static", "static gates (specialists)"},
    {"random", "random heads, zero-shot"},
    {"random-adapted", "random heads, adapted"},
    {"scratch", "no warm start"},
    {"soft", "soft gates (no time saved)"},
    {"soft-cut", "soft model cut hard, gates 1"},
    {"soft-folded", "soft model cut hard, gates folded"},
};

const Json* find_point(const Json& run, const std::string& arm, double budget) {
  const Json& arms = run.at("arms");
  if (!arms.contains(arm)) return nullptr;
  for (const Json& point : arms.at(arm).at("points")) {
    if (point.at("budget").get<double>() == budget) return &point;
  }
  return nullptr;
}

std::vector<double> values_of(const std::vector<Json>& runs, const std::string& arm, double budget,
                              const char* key) {
  std::vector<double> values;
  for (const Json& run : runs) {
    const Json* point = find_point(run, arm, budget);
    if (point != nullptr && point->contains(key)) values.push_back(point->at(key).get<double>());
  }
  return values;
}

// Differences arm - other over the seeds that have both; `other_budget` may be another one.
std::vector<double> differences(const std::vector<Json>& runs, const std::string& arm,
                                double budget, const std::string& other, double other_budget) {
  std::vector<double> values;
  for (const Json& run : runs) {
    const Json* a = find_point(run, arm, budget);
    const Json* b = find_point(run, other, other_budget);
    if (a != nullptr && b != nullptr) {
      values.push_back(a->at("accuracy").get<double>() - b->at("accuracy").get<double>());
    }
  }
  return values;
}

std::vector<double> all_budgets(const std::vector<Json>& runs) {
  std::vector<double> budgets;
  for (const Json& run : runs) {
    for (const auto& [name, arm] : run.at("arms").items()) {
      for (const Json& point : arm.at("points"))
        budgets.push_back(point.at("budget").get<double>());
    }
  }
  std::sort(budgets.begin(), budgets.end());
  budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
  return budgets;
}

Json to_json(const Estimate& value) {
  return {{"mean", value.mean},
          {"deviation", value.deviation},
          {"low", value.low()},
          {"high", value.high()},
          {"seeds", value.count}};
}

std::string percent(const Estimate& value) {
  if (value.count == 0) return "-";
  if (value.count == 1) return fmt::format("{:.2f}", 100 * value.mean);
  return fmt::format("{:.2f} ± {:.2f}", 100 * value.mean, 100 * value.half_width);
}

Table accuracy_table(const std::vector<Json>& runs, const std::vector<double>& budgets) {
  Table table;
  table.header = {"arm"};
  for (const double budget : budgets) table.header.push_back(fmt::format("{}", budget));
  for (const ArmStyle& arm : arm_styles) {
    std::vector<std::string> row = {arm.title};
    bool any = false;
    for (const double budget : budgets) {
      const Estimate value = estimate(values_of(runs, arm.key, budget, "accuracy"));
      any = any || value.count > 0;
      row.push_back(percent(value));
    }
    if (any) table.rows.push_back(row);
  }
  return table;
}

Table difference_table(const std::vector<Json>& runs, const std::vector<double>& budgets,
                       Json& json) {
  Table table;
  table.header = {"budgeted minus"};
  for (const double budget : budgets) table.header.push_back(fmt::format("{}", budget));
  for (const ArmStyle& arm : arm_styles) {
    if (std::string_view(arm.key) == "budgeted") continue;
    const bool dense = std::string_view(arm.key) == "dense";
    std::vector<std::string> row = {arm.title};
    bool any = false;
    for (const double budget : budgets) {
      const Estimate value =
          estimate(differences(runs, "budgeted", budget, arm.key, dense ? 1.0 : budget));
      any = any || value.count > 0;
      row.push_back(value.count == 0 ? "-"
                                     : fmt::format("{:+.2f} ± {:.2f}", 100 * value.mean,
                                                   100 * value.half_width));
      if (value.count > 0) json[arm.key][fmt::format("{}", budget)] = to_json(value);
    }
    if (any) table.rows.push_back(row);
  }
  return table;
}

Table cost_table(const std::vector<Json>& runs, const std::vector<double>& budgets) {
  Table table{
      {"budget", "active heads", "attention MACs", "model MACs", "of dense", "gate mass (soft)"},
      {}};
  for (const double budget : budgets) {
    const auto mean = [&](const char* arm, const char* key) {
      return estimate(values_of(runs, arm, budget, key));
    };
    const Estimate active = mean("budgeted", "active_heads");
    if (active.count == 0) continue;
    const Estimate mass = mean("soft", "gate_mass");
    table.rows.push_back({fmt::format("{}", budget), fmt::format("{:.1f} %", 100 * active.mean),
                          fmt::format("{:.2f} M", mean("budgeted", "attention_macs").mean / 1e6),
                          fmt::format("{:.2f} M", mean("budgeted", "model_macs").mean / 1e6),
                          fmt::format("{:.1f} %", 100 * mean("budgeted", "macs_fraction").mean),
                          mass.count > 0 ? fmt::format("{:.3f}", mass.mean) : "-"});
  }
  return table;
}

Table timing_table(const Json& cells) {
  Table table{{"tokens", "batch", "budget", "median ms", "speed-up", "cap", "of the cap"}, {}};
  for (const Json& cell : cells) {
    const double speedup = cell.at("speedup").get<double>();
    const double cap = cell.at("speedup_cap").get<double>();
    table.rows.push_back({fmt::format("{}", cell.at("tokens").get<int64_t>()),
                          fmt::format("{}", cell.at("batch").get<int64_t>()),
                          fmt::format("{}", cell.at("budget").get<double>()),
                          fmt::format("{:.2f}", cell.at("median_ms").get<double>()),
                          fmt::format("{:.2f}x", speedup), fmt::format("{:.2f}x", cap),
                          fmt::format("{:.0f} %", 100 * speedup / cap)});
  }
  return table;
}

// `close` frames the arms that hold their accuracy; those that collapse run off its bottom.
std::string accuracy_plot(const std::vector<Json>& runs, const std::vector<double>& budgets,
                          bool close) {
  LinePlot plot;
  plot.title = fmt::format("Accuracy against compute: {}", runs[0].at("task").get<std::string>());
  plot.subtitle =
      fmt::format("test accuracy, mean and 95 % interval over {} seeds; equal steps for every arm",
                  runs.size());
  plot.x_label = "whole-model MACs, share of dense";
  plot.y_label = "accuracy";
  plot.x_format = ValueFormat::percent;
  plot.y_format = ValueFormat::percent;
  double lowest = 1;
  double highest = 0;
  for (const ArmStyle& arm : arm_styles) {
    if (std::string_view(arm.key).substr(0, 4) == "soft")
      continue;  // not hard selections: other costs
    Series series;
    series.name = arm.title;
    for (const double budget : budgets) {
      const Estimate value = estimate(values_of(runs, arm.key, budget, "accuracy"));
      if (value.count == 0) continue;
      series.x.push_back(estimate(values_of(runs, arm.key, budget, "macs_fraction")).mean);
      series.y.push_back(value.mean);
      series.low.push_back(std::max(0.0, value.low()));
      series.high.push_back(std::min(1.0, value.high()));
      highest = std::max(highest, value.mean);
      if (std::string_view(arm.key) == "budgeted") lowest = std::min(lowest, value.mean);
    }
    if (!series.x.empty()) plot.series.push_back(series);
  }
  if (close) {
    const double margin = std::max(0.001, 0.4 * (highest - lowest));
    plot.y_range = ValueRange{lowest - margin, highest + margin};
  }
  return draw(plot);
}

GateParameters gates_of(const Json& run) {
  const Json& gates = run.at("arms").at("budgeted").at("gates");
  return {run.at("shape").at("layers").get<int64_t>(), run.at("shape").at("heads").get<int64_t>(),
          gates.at("offset").get<std::vector<double>>(),
          gates.at("slope").get<std::vector<double>>()};
}

std::string gate_plot(const Json& run) {
  const GateParameters gates = gates_of(run);
  HeatMapPanels figure;
  figure.title = "Gates g(b) per layer and head";
  figure.subtitle = fmt::format("{}, seed {}, after the hard stage",
                                run.at("task").get<std::string>(), run.at("seed").get<uint64_t>());
  figure.bar_label = "gate";
  for (const double budget : {0.25, 0.5, 0.75}) {
    HeatMap map;
    map.title = fmt::format("b = {}", budget);
    map.x_label = "head";
    map.y_label = "layer";
    const std::vector<double> values = gates.values(budget);
    for (int64_t layer = 0; layer < gates.layers; ++layer) {
      map.row_labels.push_back(fmt::format("{}", layer + 1));
      const auto begin = values.begin() + layer * gates.heads;
      map.values.emplace_back(begin, begin + gates.heads);
    }
    for (int64_t head = 0; head < gates.heads; ++head)
      map.column_labels.push_back(fmt::format("{}", head + 1));
    figure.panels.push_back(map);
  }
  return draw(figure);
}

std::string mass_plot(const std::vector<Json>& runs) {
  LinePlot plot;
  plot.title = "Does the gate mass follow the request?";
  plot.subtitle = fmt::format("{}, after the soft stage", runs[0].at("task").get<std::string>());
  plot.x_label = "requested budget b";
  plot.y_label = "mass(b), the mean gate";
  plot.references.push_back({ReferenceKind::diagonal, 0, "mass(b) = b"});
  for (const Json& run : runs) {
    Series series;
    series.name = fmt::format("seed {}", run.at("seed").get<uint64_t>());
    for (const Json& point : run.at("arms").at("soft").at("mass")) {
      series.x.push_back(point.at("budget").get<double>());
      series.y.push_back(point.at("mass").get<double>());
    }
    plot.series.push_back(series);
  }
  return draw(plot);
}

Json arm_estimates(const std::vector<Json>& runs, const std::vector<double>& budgets) {
  Json arms = Json::object();
  for (const ArmStyle& arm : arm_styles) {
    for (const double budget : budgets) {
      const Estimate accuracy = estimate(values_of(runs, arm.key, budget, "accuracy"));
      if (accuracy.count == 0) continue;
      Json& entry = arms[arm.key][fmt::format("{}", budget)];
      entry = to_json(accuracy);
      entry["macs_fraction"] = estimate(values_of(runs, arm.key, budget, "macs_fraction")).mean;
    }
  }
  return arms;
}

// Largest and mean |mass(b) - b| over the curve of every seed.
std::pair<double, double> mass_error(const std::vector<Json>& runs) {
  double largest = 0;
  double sum = 0;
  double count = 0;
  for (const Json& run : runs) {
    for (const Json& point : run.at("arms").at("soft").at("mass")) {
      const double error =
          std::abs(point.at("mass").get<double>() - point.at("budget").get<double>());
      largest = std::max(largest, error);
      sum += error;
      ++count;
    }
  }
  return {largest, count > 0 ? sum / count : 0};
}

// How often training without a warm start, or the warm start itself, did not get there: below 90 %
// of what the dense arm reaches.
int failures(const std::vector<Json>& runs, const std::string& arm) {
  int failed = 0;
  for (const Json& run : runs) {
    const Json* dense = find_point(run, "dense", 1.0);
    const Json* other = find_point(run, arm, 1.0);
    if (dense != nullptr && other != nullptr &&
        other->at("accuracy").get<double>() < 0.9 * dense->at("accuracy").get<double>()) {
      ++failed;
    }
  }
  return failed;
}

const char* paper_context(const std::string& task) {
  if (task == "synthetic") {
    return "The paper (2605.05697) reports 99.7 % at estimated cost 0.303 and 100.0 % at 0.504 for "
           "one "
           "budgeted model, and one failed seed without a warm start; its generator is not "
           "published.";
  }
  if (task == "agnews") {
    return "The paper (2605.05697) reports, on smaller samples: a custom word-level model 82.1 % "
           "with "
           "1.28x at 0.50; BERT-Mini 87.6 % with 1.20x at 0.50, against 86.1 % post-hoc zero-shot "
           "and "
           "87.9 % with a recovery epoch.";
  }
  if (task == "dbpedia") {
    return "The paper (2605.05697) reports BERT-Mini at 97.4 % at exact budget 0.50 against 96.6 % "
           "dense.";
  }
  return "The paper (2605.05697) does not use this data set.";
}

std::string describe_setting(const std::vector<Json>& runs) {
  const Json& run = runs[0];
  const Json& shape = run.at("shape");
  const Json& machine = run.at("machine");
  std::string seeds;
  for (const Json& each : runs)
    seeds += fmt::format("{}{}", seeds.empty() ? "" : ", ", each.at("seed").get<uint64_t>());
  return fmt::format(
      "- Seeds: {}. Rows: {} train, {} validation (chosen on), {} test (read once per arm).\n"
      "- Model: {} layers, width {}, {} heads, FFN {}, up to {} tokens, {} words.\n"
      "- Trained {} on {} ({}), torch {}.\n",
      seeds, run.at("rows").at("train").dump(), run.at("rows").at("validation").dump(),
      run.at("rows").at("test").dump(), shape.at("layers").dump(), shape.at("width").dump(),
      shape.at("heads").dump(), shape.at("ffn").dump(), shape.at("max_tokens").dump(),
      shape.at("vocabulary").dump(), run.at("date").get<std::string>(),
      machine.at("cpu").get<std::string>(),
      machine.contains("gpu") ? machine.at("gpu").get<std::string>()
                              : machine.at("device").get<std::string>(),
      machine.at("torch").get<std::string>());
}

// Arms of the experiment that no run holds: said, not left to be noticed.
std::string missing_arms(const std::vector<Json>& runs) {
  std::string list;
  for (const ArmStyle& arm : arm_styles) {
    const bool found = std::any_of(runs.begin(), runs.end(), [&](const Json& run) {
      return run.at("arms").contains(arm.key);
    });
    if (!found) list += fmt::format("{}{}", list.empty() ? "" : ", ", arm.title);
  }
  return list;
}

std::string write_page(const std::vector<Json>& runs, const Json& timing,
                       const std::string& command, const std::vector<double>& budgets,
                       Json& results) {
  const std::string task = runs[0].at("task").get<std::string>();
  const auto [largest, mean] = mass_error(runs);
  results["mass_error"] = {{"largest", largest}, {"mean", mean}};
  std::vector<double> nested_free;
  for (const Json& run : runs) {
    if (run.at("arms").contains("budgeted-free")) {
      nested_free.push_back(run.at("arms").at("budgeted-free").at("nestedness").get<double>());
    }
  }
  if (!nested_free.empty()) results["nestedness_free_slopes"] = to_json(estimate(nested_free));
  results["failed_seeds"]["budgeted"] = failures(runs, "budgeted");
  if (!values_of(runs, "scratch", 1.0, "accuracy").empty()) {
    results["failed_seeds"]["scratch"] = failures(runs, "scratch");
  }
  std::string page = fmt::format("# Budgeted attention allocation: {}\n\nMade by `{}`.\n\n{}\n",
                                 task, command, describe_setting(runs));
  page += fmt::format(
      "{}\n\n![accuracy against compute, close up](accuracy-close.svg)\n\n"
      "![accuracy against compute, all arms](accuracy.svg)\n\n",
      paper_context(task));
  page += fmt::format(
      "## Test accuracy, %\n\nMean ± half the 95 % interval over {} seeds, hard budgets in "
      "the columns. Every arm has the same number of optimiser steps; specialists need one "
      "training and one checkpoint per budget.\n\n{}\n",
      runs.size(), markdown(accuracy_table(runs, budgets)));
  page += fmt::format(
      "## Paired differences, points\n\nBudgeted minus the other arm on the same seeds; the "
      "dense arm is compared at its budget 1.\n\n{}\n",
      markdown(difference_table(runs, budgets, results["differences"])));
  page += fmt::format("## Cost\n\nMACs are means per test row at its own length.\n\n{}\n",
                      markdown(cost_table(runs, budgets)));
  if (timing.contains("cells")) {
    page += fmt::format(
        "## Measured time\n\nTorch engine, {} thread, dense and sliced interleaved, medians, on "
        "{}, "
        "{}; selections of seed {}. The cap is dense MACs over this budget's MACs.\n\n{}\n",
        timing.at("threads").dump(), timing.at("machine").at("cpu").get<std::string>(),
        timing.at("date").get<std::string>(), runs[0].at("seed").dump(),
        markdown(timing_table(timing.at("cells"))));
  }
  page += fmt::format(
      "## Gates\n\n![gates](gates.svg)\n\n![mass](mass.svg)\n\n|mass(b) - b| after the soft stage: "
      "mean {:.3f}, largest {:.3f} over b in 0.05 ... 0.95. ",
      mean, largest);
  if (!nested_free.empty()) {
    page += fmt::format(
        "Nestedness with free slopes: {:.3f} (1 is nested; the shared slope is nested by "
        "construction). ",
        estimate(nested_free).mean);
  }
  page += "\n\n## Failed seeds\n\nBelow 90 % of dense at budget 1: ";
  page += fmt::format("{} of {} with a warm start", failures(runs, "budgeted"), runs.size());
  const size_t scratch_runs = values_of(runs, "scratch", 1.0, "accuracy").size();
  if (scratch_runs > 0)
    page += fmt::format(", {} of {} without", failures(runs, "scratch"), scratch_runs);
  page += ".\n";
  const std::string missing = missing_arms(runs);
  if (!missing.empty()) page += fmt::format("\n## Not run\n\n{}\n", missing);
  return page;
}

}  // namespace

BudgetedSummary summarise_budgeted(const std::vector<Json>& runs, const Json& timing,
                                   const std::string& command) {
  if (runs.empty()) throw Error(ErrorCode::usage, "summarise", "there are no runs");
  const std::vector<double> budgets = all_budgets(runs);
  BudgetedSummary summary;
  summary.results["experiment"] = "budgeted";
  summary.results["task"] = runs[0].at("task");
  summary.results["command"] = command;
  summary.results["machine"] = runs[0].at("machine");
  summary.results["date"] = runs[0].at("date");
  summary.results["rows"] = runs[0].at("rows");
  summary.results["seeds"] = runs.size();
  summary.results["arms"] = arm_estimates(runs, budgets);
  summary.results["timing"] = timing;
  summary.page = write_page(runs, timing, command, budgets, summary.results);
  summary.accuracy = accuracy_plot(runs, budgets, /*close=*/false);
  summary.accuracy_close = accuracy_plot(runs, budgets, /*close=*/true);
  summary.gates = gate_plot(runs[0]);
  summary.mass = mass_plot(runs);
  return summary;
}

}  // namespace headroom
