#include "experiments/nested/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/join.h"
#include "base/table.h"
#include "experiments/arms.h"
#include "experiments/claims/targets.h"
#include "experiments/nested/plots.h"
#include "experiments/summary_parts.h"
#include "report/plot/alive_map.h"

namespace headroom {
namespace {

// In the order of tables and legends.
constexpr Arm arms[] = {
    {"dense", "dense", /*only_full=*/true},
    {"dense-start", "dense, where the arms below begin", /*only_full=*/true},
    {"nested", "nested, uniform (one checkpoint)"},
    {"nested-global", "nested, global ranking (one checkpoint)"},
    {"nested-depth", "nested, whole layers dropped (one checkpoint)"},
    {"no-distillation", "nested without distillation (one checkpoint)"},
    {"heads-only", "P1 head gates (one checkpoint)"},
    {"specialists", "one specialist per budget, equal total steps"},
    {"post-hoc", "pruned after training, no adaptation"},
    {"fasttext", "fastText", /*only_full=*/true},
};

constexpr Arms allocations = Arms(arms).subspan(2, 3);

// Runs may be scored at more budgets, for a smoother curve; tables show these.
constexpr double table_budgets[] = {0.125, 0.25, 0.5, 0.75, 1.0};

// What the page and results.json both tell.
struct Findings {
  Arm ours;
  std::vector<double> budgets;  // all that were scored
  std::vector<double> columns;  // those in tables
  std::vector<ArmEstimates> differences;
  std::vector<ArmEstimates> validation;  // of the allocations
  std::vector<Target> targets;
  Json seconds;  // of training: arm -> mean
  std::string command;
};

Arm find_ours(const Json& run) {
  const std::string key = run.value("default_arm", "nested");
  const auto* found = std::find_if(std::begin(arms), std::end(arms),
                                   [&](const Arm& arm) { return arm.key == key; });
  if (found == std::end(arms)) {
    throw Error(ErrorCode::bad_data, "summarise",
                fmt::format("default_arm is \"{}\", which is no arm of this experiment", key));
  }
  return *found;
}

// Means over the seeds, of the arms that say how long they took.
Json training_seconds(const Runs& runs) {
  Json seconds = Json::object();
  for (const Arm& arm : arms) {
    std::vector<double> values;
    for (const Json& run : runs) {
      const Json& all = run.at("arms");
      if (!all.contains(arm.key) || !all.at(arm.key).contains("seconds")) continue;
      values.push_back(all.at(arm.key).at("seconds").get<double>());
    }
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
  found.differences = paired_differences(runs, found.ours.key, arms, found.columns);
  found.validation = accuracies(runs, allocations, found.columns, "validation");
  found.targets = nested_targets(runs, found.ours.key);
  found.seconds = training_seconds(runs);
  found.command = reproduce_command("nested", runs);
  return found;
}

Json write_results(const Runs& runs, const Json& timing, const Findings& found) {
  Json results = describe_results("nested", runs, found.command);
  for (const char* key : {"start", "shape", "recipe"}) {
    if (runs[0].contains(key)) results[key] = runs[0].at(key);
  }
  results["default_arm"] = found.ours.key;
  results["targets"] = to_json(found.targets);
  results["arms"] = accuracies_with_costs(runs, arms, found.budgets);
  results["differences"] = to_json(found.differences, found.columns);
  results["validation"] = to_json(found.validation, found.columns);
  results["training_seconds"] = found.seconds;
  results["timing"] = timing;
  return results;
}

std::string describe_model(const Json& run) {
  const Json& shape = run.at("shape");
  return fmt::format(
      "{} layers, width {}, {} heads, FFN {} in groups of {}, up to {} tokens, vocabulary {}",
      shape.at("layers").dump(), shape.at("width").dump(), shape.at("heads").dump(),
      shape.at("ffn").dump(), shape.at("ffn_group").dump(), shape.at("max_tokens").dump(),
      shape.at("vocabulary").dump());
}

std::string heading(const Runs& runs, const Findings& found) {
  std::string text = fmt::format(
      "# Nested budgets for heads and FFN: {}\n\nMade by `{}`.\n\n{}- Start: {}.\n",
      runs[0].at("task").get<std::string>(), found.command,
      describe_setting(runs, describe_model(runs[0])), runs[0].value("start", "fresh weights"));
  std::vector<std::string> seconds;
  for (const auto& [arm, value] : found.seconds.items()) {
    seconds.push_back(fmt::format("{} {:.0f}", arm, value.get<double>()));
  }
  if (!seconds.empty()) {
    text += fmt::format("- Seconds of training per seed: {}.\n", join(seconds, ", "));
  }
  const std::string targets = describe_targets(found.targets);
  return text + (targets.empty() ? "" : fmt::format("\n{}\n", targets)) + "\n";
}

std::string accuracy_section(const Runs& runs, const Findings& found) {
  const std::string what =
      runs.size() == 1 ? "One seed, so without intervals"
                       : fmt::format("Mean ± half the 95 % interval over {} seeds", runs.size());
  return fmt::format(
      "## Test accuracy, %\n\n{}; budgets in the columns. The specialists are one training and one "
      "checkpoint per budget.\n\n{}\n",
      what, markdown(arm_table("arm", found.columns, accuracies(runs, arms, found.columns))));
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
    const auto cell = [&](const char* key, double scale, int decimals, const char* unit) {
      const Estimate value = estimate(values_of(runs, found.ours.key, budget, key));
      return value.count == 0 ? "-" : fmt::format("{:.{}f}{}", scale * value.mean, decimals, unit);
    };
    if (values_of(runs, found.ours.key, budget, "accuracy").empty()) continue;
    table.rows.push_back({fmt::format("{}", budget), cell("active_heads", 100, 1, " %"),
                          cell("active_ffn", 100, 1, " %"), cell("model_macs", 1e-6, 2, " M"),
                          cell("macs_fraction", 100, 1, " %"), cell("parameters", 1e-6, 2, " M"),
                          cell("parameters", 4e-6, 2, ""), cell("parameters", 2e-6, 2, "")});
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
  const Estimate bytes = estimate(values_of(runs, "fasttext", 1.0, "bytes"));
  const Estimate time = estimate(values_of(runs, "fasttext", 1.0, "ms"));
  if (bytes.count > 0 && time.count > 0) {
    text += fmt::format("fastText reads whole texts; it takes {:.2f} MB and {:.2g} ms a text.\n\n",
                        1e-6 * bytes.mean, time.mean);
  }
  return text;
}

std::string command_section(const Findings& found) {
  return fmt::format(
      "## Commands\n\n```\n"
      "{0} --out DIR                 # train what is missing, score, time\n"
      "{0} --out DIR --summary-only  # this page again from DIR/runs\n"
      "```\n",
      found.command);
}

// An image with the space below it; nothing where there is no such plot.
std::string image(std::string_view title, std::string_view file, const std::string& svg) {
  return svg.empty() ? "" : fmt::format("![{}]({})\n\n", title, file);
}

std::string write_page(const Runs& runs, const Json& timing, const Findings& found,
                       const NestedSummary& plots) {
  return heading(runs, found) + image("accuracy against compute", "accuracy.svg", plots.accuracy) +
         accuracy_section(runs, found) + difference_section(found) + validation_section(found) +
         cost_section(runs, found) + timing_section(runs, timing) +
         image("accuracy against time", "accuracy-time.svg", plots.accuracy_time) +
         image("what comes alive when", "alive.svg", plots.alive) + command_section(found) +
         missing_section(runs, arms);
}

}  // namespace

Arms nested_arms() {
  return arms;
}

NestedSummary summarise_nested(const std::vector<Json>& runs, const Json& timing) {
  if (runs.empty()) throw Error(ErrorCode::usage, "summarise", "there are no runs");
  const Findings found = find_out(runs);
  NestedSummary summary;
  summary.results = write_results(runs, timing, found);
  summary.accuracy = nested_accuracy_plot(runs, found.ours, arms, found.budgets);
  summary.accuracy_time = nested_time_plot(runs, found.ours, timing);
  summary.alive = alive_map(runs[0], found.ours.key);
  summary.page = write_page(runs, timing, found, summary);
  return summary;
}

}  // namespace headroom
