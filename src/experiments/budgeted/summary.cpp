#include "experiments/budgeted/summary.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/table.h"
#include "experiments/budgeted/measures.h"
#include "experiments/budgeted/plots.h"
#include "experiments/summary/parts.h"

namespace headroom::experiments::budgeted {
namespace {

// In the order of tables and legends.
constexpr Arm known_arms[] = {
    {"dense", "dense", /*only_full=*/true},
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

Table cost_table(const Runs& runs, const std::vector<double>& budgets) {
  Table table{
      {"budget", "active heads", "attention MACs", "model MACs", "of dense", "gate mass (soft)"},
      {}};
  for (const double budget : budgets) {
    const auto mean = [&](const char* arm, PointField key) {
      return estimate(values_of(runs, arm, budget, key));
    };
    const Estimate active = mean("budgeted", &Point::active_heads);
    if (active.count == 0) continue;
    const Estimate mass = mean("soft", &Point::gate_mass);
    table.rows.push_back(
        {fmt::format("{}", budget), fmt::format("{:.1f} %", 100 * active.mean),
         fmt::format("{:.2f} M", mean("budgeted", &Point::attention_macs).mean / 1e6),
         fmt::format("{:.2f} M", mean("budgeted", &Point::model_macs).mean / 1e6),
         fmt::format("{:.1f} %", 100 * mean("budgeted", &Point::macs_fraction).mean),
         mass.count > 0 ? fmt::format("{:.3f}", mass.mean) : "-"});
  }
  return table;
}

const char* paper_context(const std::string& task) {
  if (task == "synthetic") {
    return "The paper (2605.05697) reports 99.7 % at estimated cost 0.303 and 100.0 % at 0.504 for "
           "one budgeted model, and one failed seed without a warm start; its generator is not "
           "published.";
  }
  if (task == "synthetic-hard") {
    return "Each row has one of several kinds of marker, and the kind says how far behind it the "
           "answer stands, so that a small budget has too few heads for all of them; on the "
           "paper's "
           "kind of task (`--task synthetic`) two heads suffice.";
  }
  if (task == "agnews") {
    return "The paper (2605.05697) reports, on smaller samples: a custom word-level model 82.1 % "
           "with 1.28x at 0.50; BERT-Mini 87.6 % with 1.20x at 0.50, against 86.1 % post-hoc "
           "zero-shot and 87.9 % with a recovery epoch.";
  }
  if (task == "dbpedia") {
    return "The paper (2605.05697) reports BERT-Mini at 97.4 % at exact budget 0.50 against 96.6 % "
           "dense.";
  }
  return "The paper (2605.05697) does not use this data set.";
}

// What the page and results.json both tell.
struct Findings {
  std::vector<double> budgets;
  std::vector<ArmEstimates> differences;
  MassError mass;
  Estimate nestedness;  // with free slopes
  int failed_warm = 0;
  int failed_cold = 0;  // of cold_starts
  size_t cold_starts = 0;
};

Findings find_out(const Runs& runs) {
  Findings found;
  found.budgets = budgets_of(runs);
  found.differences = paired_differences(runs, "budgeted", known_arms, found.budgets);
  found.mass = mass_error(runs);
  found.nestedness = estimate(
      numbers_of(runs, "budgeted-free", [](const ArmRecord& record) { return record.nestedness; }));
  found.failed_warm = failed_seeds(runs, "budgeted").failed;
  found.failed_cold = failed_seeds(runs, "scratch").failed;
  found.cold_starts = values_of(runs, "scratch", 1.0, &Point::accuracy).size();
  return found;
}

Json write_results(const Runs& runs, const Json& timing, const Findings& found) {
  Json results = describe_results("budgeted", runs);
  results["arms"] = accuracies_with_costs(runs, known_arms, found.budgets);
  results["timing"] = timing;
  results["mass_error"] = {{"largest", found.mass.largest}, {"mean", found.mass.mean}};
  if (found.nestedness.count > 0) results["nestedness_free_slopes"] = to_json(found.nestedness);
  results["failed_seeds"]["budgeted"] = found.failed_warm;
  if (found.cold_starts > 0) results["failed_seeds"]["scratch"] = found.failed_cold;
  results["differences"] = to_json(found.differences, found.budgets);
  return results;
}

std::string gates_section(const Findings& found) {
  std::string section = fmt::format(
      "## Gates\n\n![gates](gates.svg)\n\n![mass](mass.svg)\n\n|mass(b) - b| after the soft stage: "
      "mean {:.3f}, largest {:.3f} over b in 0.05 ... 0.95. ",
      found.mass.mean, found.mass.largest);
  if (found.nestedness.count > 0) {
    section += fmt::format(
        "Nestedness with free slopes: {:.3f} (1 is nested; the shared slope is nested by "
        "construction). ",
        found.nestedness.mean);
  }
  return section + "\n\n";
}

std::string failures_section(const Runs& runs, const Findings& found) {
  std::string section =
      fmt::format("## Failed seeds\n\nBelow 90 % of dense at budget 1: {} of {} with a warm start",
                  found.failed_warm, runs.size());
  if (found.cold_starts > 0) {
    section += fmt::format(", {} of {} without", found.failed_cold, found.cold_starts);
  }
  return section + ".\n";
}

std::string write_text(const Runs& runs, const Json& timing, const Findings& found) {
  const std::string& task = runs[0].task;
  std::string page = page_heading(fmt::format("Budgeted attention allocation: {}", task),
                                  "budgeted", runs, describe_model(runs[0])) +
                     "\n";
  page += fmt::format(
      "{}\n\n![accuracy against compute, close up](accuracy-close.svg)\n\n"
      "![accuracy against compute, all arms](accuracy.svg)\n\n",
      paper_context(task));
  page += fmt::format(
      "## Test accuracy, %\n\nMean ± half the 95 % interval over {} seeds, hard budgets in "
      "the columns. Every model has the same number of optimiser steps; specialists, one for each "
      "budget, have it several times over.\n\n{}\n",
      runs.size(),
      markdown(arm_table("arm", found.budgets, accuracies(runs, known_arms, found.budgets))));
  page += fmt::format(
      "## Paired differences, points\n\nBudgeted minus the other arm on the same seeds; the "
      "dense arm is compared at its budget 1.\n\n{}\n",
      markdown(arm_table("budgeted minus", found.budgets, found.differences, difference_cell)));
  page += fmt::format("## Cost\n\nMACs are means per test row at its own length.\n\n{}\n",
                      markdown(cost_table(runs, found.budgets)));
  return page + timing_section(runs, timing) + gates_section(found) +
         failures_section(runs, found) + missing_section(runs, known_arms);
}

}  // namespace

Arms arms() {
  return known_arms;
}

Page summarise(const Runs& runs, const Json& timing) {
  require_summarisable(runs);
  const Findings found = find_out(runs);
  return {write_results(runs, timing, found),
          write_text(runs, timing, found),
          {{"accuracy.svg", accuracy_plot(runs, found.budgets, /*close=*/false)},
           {"accuracy-close.svg", accuracy_plot(runs, found.budgets, /*close=*/true)},
           {"gates.svg", gate_plot(runs[0])},
           {"mass.svg", mass_plot(runs)}}};
}

}  // namespace headroom::experiments::budgeted
