#include "experiments/nested/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/join.h"
#include "base/table.h"
#include "experiments/summary/arm_plots.h"
#include "experiments/summary/parts.h"

namespace headroom::experiments::nested {
namespace {

// In the order of tables and legends.
constexpr Arm known_arms[] = {
    {"dense", "dense", /*only_full=*/true},
    {"dense-start", "dense, where the arms below begin", /*only_full=*/true},
    {"nested", "nested, uniform (one checkpoint)"},
    {"nested-global", "nested, global ranking (one checkpoint)"},
    {"nested-depth", "nested, whole layers dropped (one checkpoint)"},
    {"no-distillation", "nested without distillation (one checkpoint)"},
    {"heads-only", "P1 head gates (one checkpoint)"},
    {"specialists", "one specialist per budget, nested's steps divided"},
    {"post-hoc", "pruned after training, no adaptation"},
    {"fasttext", "fastText", /*only_full=*/true},
};

constexpr Arms allocations = Arms(known_arms).subspan(2, 3);

// Runs may be scored at more budgets, for a smoother curve; tables show these.
constexpr double table_budgets[] = {0.125, 0.25, 0.5, 0.75, 1.0};

// What the page and results.json both tell.
struct Findings {
  Arm ours;
  std::vector<double> budgets;  // all that were scored
  std::vector<double> columns;  // those in tables
  std::vector<ArmEstimates> differences;
  std::vector<ArmEstimates> validation;  // of the allocations
  Json seconds;                          // of training: arm -> mean
};

Arm find_ours(const Record& run) {
  const std::string key = run.default_arm.empty() ? "nested" : run.default_arm;
  const auto* found = std::find_if(std::begin(known_arms), std::end(known_arms),
                                   [&](const Arm& arm) { return arm.key == key; });
  if (found == std::end(known_arms)) {
    throw Error(ErrorCode::bad_data, "summarise",
                fmt::format("default_arm is \"{}\", which is no arm of this experiment", key));
  }
  return *found;
}

// Means over the seeds, of the arms that say how long they took.
Json training_seconds(const Runs& runs) {
  Json seconds = Json::object();
  for (const Arm& arm : known_arms) {
    const std::vector<double> values =
        numbers_of(runs, arm.key, [](const ArmRecord& record) { return record.seconds; });
    if (!values.empty()) seconds[arm.key] = estimate(values).mean;
  }
  return seconds;
}

Findings find_out(const Runs& runs) {
  Findings found;
  found.ours = find_ours(runs[0]);
  found.budgets = budgets_of(runs);
  std::copy_if(std::begin(table_budgets), std::end(table_budgets),
               std::back_inserter(found.columns), [&](double budget) {
                 return std::binary_search(found.budgets.begin(), found.budgets.end(), budget);
               });
  found.differences = paired_differences(runs, found.ours.key, known_arms, found.columns);
  found.validation = accuracies(runs, allocations, found.columns, &ArmRecord::validation);
  found.seconds = training_seconds(runs);
  return found;
}

Json write_results(const Runs& runs, const Json& timing, const Findings& found) {
  Json results = describe_results("nested", runs);
  const Json run = to_json(runs[0]);
  for (const char* key : {"start", "shape", "recipe"}) {
    if (run.contains(key)) results[key] = run.at(key);
  }
  results["default_arm"] = found.ours.key;
  results["arms"] = accuracies_with_costs(runs, known_arms, found.budgets);
  results["differences"] = to_json(found.differences, found.columns);
  results["validation"] = to_json(found.validation, found.columns);
  results["training_seconds"] = found.seconds;
  results["timing"] = timing;
  return results;
}

std::string heading(const Runs& runs, const Findings& found) {
  std::string text =
      page_heading(fmt::format("Nested budgets for heads and FFN: {}", runs[0].task), "nested",
                   runs, describe_model(runs[0])) +
      fmt::format("- Start: {}.\n", runs[0].start.empty() ? "fresh weights" : runs[0].start);
  std::vector<std::string> seconds;
  for (const auto& [arm, value] : found.seconds.items()) {
    seconds.push_back(fmt::format("{} {:.0f}", arm, value.get<double>()));
  }
  if (!seconds.empty()) {
    text += fmt::format(
        "- Seconds of training per seed: {}. A nested step runs several budgets, a specialist's "
        "one: equal steps are not equal time.\n",
        join(seconds, ", "));
  }
  return text + "\n";
}

std::string accuracy_section(const Runs& runs, const Findings& found) {
  const std::string what =
      runs.size() == 1 ? "One seed, so without intervals"
                       : fmt::format("Mean ± half the 95 % interval over {} seeds", runs.size());
  return fmt::format(
      "## Test accuracy, %\n\n{}; budgets in the columns. The specialists are one training and one "
      "checkpoint per budget.\n\n{}\n",
      what, markdown(arm_table("arm", found.columns, accuracies(runs, known_arms, found.columns))));
}

std::string difference_section(const Findings& found) {
  if (found.differences.empty()) return "";
  return fmt::format(
      "## Paired differences, points\n\n`{}` minus the other arm on the same seeds; dense and "
      "fastText are compared at their budget 1.\n\n{}\n",
      found.ours.key,
      markdown(arm_table(fmt::format("{} minus", found.ours.key), found.columns, found.differences,
                         difference_cell)));
}

std::string validation_section(const Findings& found) {
  if (found.validation.empty()) return "";
  return fmt::format(
      "## Choosing the allocation\n\nAccuracy on the validation rows, %: the choice was made on "
      "these, not on test rows. The default is `{}`.\n\n{}\n",
      found.ours.key, markdown(arm_table("allocation", found.columns, found.validation)));
}

Table cost_table(const Runs& runs, const Findings& found) {
  Table table{{"budget", "active heads", "active FFN", "MACs", "of dense", "parameters", "fp32, MB",
               "bf16, MB"},
              {}};
  for (const double budget : found.columns) {
    const auto cell = [&](PointField key, double scale, int decimals, const char* unit) {
      const Estimate value = estimate(values_of(runs, found.ours.key, budget, key));
      return value.count == 0 ? "-" : fmt::format("{:.{}f}{}", scale * value.mean, decimals, unit);
    };
    if (values_of(runs, found.ours.key, budget, &Point::accuracy).empty()) continue;
    table.rows.push_back(
        {fmt::format("{}", budget), cell(&Point::active_heads, 100, 1, " %"),
         cell(&Point::active_ffn, 100, 1, " %"), cell(&Point::model_macs, 1e-6, 2, " M"),
         cell(&Point::macs_fraction, 100, 1, " %"), cell(&Point::parameters, 1e-6, 2, " M"),
         cell(&Point::parameters, 4e-6, 2, ""), cell(&Point::parameters, 2e-6, 2, "")});
  }
  return table;
}

std::string cost_section(const Runs& runs, const Findings& found) {
  const Table table = cost_table(runs, found);
  if (table.rows.empty()) return "";
  std::string text = fmt::format(
      "## Cost\n\nOf `{}`. MACs are means per test row at its own length; bytes are those of the "
      "parameters that remain, 4 each as fp32 and 2 as bf16.\n\n{}\n",
      found.ours.key, markdown(table));
  const Estimate bytes = estimate(values_of(runs, "fasttext", 1.0, &Point::bytes));
  const Estimate time = estimate(values_of(runs, "fasttext", 1.0, &Point::ms));
  if (bytes.count > 0 && time.count > 0) {
    text += fmt::format("fastText reads whole texts; it takes {:.2f} MB and {:.2g} ms a text.\n\n",
                        1e-6 * bytes.mean, time.mean);
  }
  return text;
}

std::string command_section(const Runs& runs) {
  return fmt::format(
      "## Commands\n\n```\n"
      "{0} --out DIR                 # train what is missing, score, time\n"
      "{0} --out DIR --summary-only  # this page again from DIR/runs\n"
      "```\n",
      reproduce_command("nested", runs));
}

std::string draw_if_any(const LinePlot& plot) {
  return plot.series.empty() ? "" : draw(plot);
}

// `ours` at its budgets and dense, over the time of one text.
std::string time_figure(const Runs& runs, const Arm& ours, const Json& timing) {
  const Arm shown[] = {ours, {"dense", "dense", /*only_full=*/true}};
  return draw_if_any(accuracy_time_plot(runs, ours, shown, timing));
}

}  // namespace

Arms arms() {
  return known_arms;
}

Page summarise(const Runs& runs, const Json& timing) {
  require_summarisable(runs);
  const Findings found = find_out(runs);
  const Figure accuracy = {"accuracy.svg", draw_if_any(framed_accuracy_plot(
                                               runs, found.ours, known_arms, found.budgets))};
  const Figure time = {"accuracy-time.svg", time_figure(runs, found.ours, timing)};
  const Figure alive = {"alive.svg", alive_map(runs[0], found.ours.key)};
  return {write_results(runs, timing, found),
          heading(runs, found) + image("accuracy against compute", accuracy) +
              accuracy_section(runs, found) + difference_section(found) +
              validation_section(found) + cost_section(runs, found) + timing_section(runs, timing) +
              image("accuracy against time", time) + image("what comes alive when", alive) +
              command_section(runs) + missing_section(runs, known_arms),
          {accuracy, time, alive}};
}

}  // namespace headroom::experiments::nested
