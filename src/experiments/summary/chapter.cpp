#include "experiments/summary/chapter.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/join.h"
#include "experiments/adaptive/plots.h"
#include "experiments/budgeted/plots.h"
#include "experiments/summary/arm_plots.h"
#include "experiments/summary/chapter_parts.h"
#include "experiments/summary/parts.h"
#include "experiments/variants/chapter.h"
#include "report/cap_section.h"
#include "report/html_parts.h"

namespace headroom::experiments {
namespace {

// A folder with what its sections all ask for.
struct Subject {
  const ResultsFolder& folder;
  const Runs& runs;
  std::vector<Arm> arms;  // without those that only exist between two stages
  Arm ours;
  std::vector<double> budgets;
};

Subject subject_of(const ResultsFolder& folder) {
  const ExperimentArms arms = arms_of(folder);
  return {folder, folder.runs, budgeted::hard_arms(arms.all), arms.ours, budgets_of(folder.runs)};
}

std::string glance(const Subject& subject) {
  std::vector<KeyNumber> numbers;
  const auto add = [&](double budget) {
    const Estimate accuracy =
        estimate(values_of(subject.runs, subject.ours.key, budget, &Point::accuracy));
    const Estimate share =
        estimate(values_of(subject.runs, subject.ours.key, budget, &Point::macs_fraction));
    if (accuracy.count == 0) return;
    const std::string macs =
        share.count > 0 ? fmt::format(", with {:.0f} % of the MACs", 100 * share.mean) : "";
    numbers.push_back({fmt::format("{} %", percent_cell(accuracy)),
                       fmt::format("{}: accuracy at budget {}{}", subject.ours.key, budget, macs)});
  };
  for (const double budget : {1.0, 0.5, subject.budgets.front()}) {
    if (budget != 0.5 || subject.budgets.front() < 0.5) add(budget);
  }
  const Estimate dense = estimate(values_of(subject.runs, "dense", 1.0, &Point::accuracy));
  if (dense.count > 0) {
    numbers.push_back({fmt::format("{} %", percent_cell(dense)), "dense: accuracy"});
  }
  add_speedup(numbers, subject.folder.timing);
  return key_numbers(numbers) + html_table(setting_table(subject.runs));
}

std::string compute_part(const Subject& subject) {
  const LinePlot plot =
      framed_accuracy_plot(subject.runs, subject.ours, subject.arms, subject.budgets);
  return html_figure(plot,
                     "Every arm at every budget it was scored at. Curves up and to the left "
                     "are better.") +
         html_table(arm_table("test accuracy, %, at budget", subject.budgets,
                              accuracies(subject.runs, subject.arms, subject.budgets)));
}

std::string difference_part(const Subject& subject) {
  const std::vector<ArmEstimates> rows =
      paired_differences(subject.runs, subject.ours.key, subject.arms, subject.budgets);
  if (rows.empty()) return "";
  return paragraph(fmt::format(
             "Points of accuracy: {} minus the other arm on the same seeds. An arm without budgets "
             "is compared at its one point.",
             subject.ours.key)) +
         html_table(arm_table(fmt::format("{} minus", subject.ours.key), subject.budgets, rows,
                              difference_cell));
}

std::string time_part(const Subject& subject) {
  return html_figure(
      accuracy_time_plot(subject.runs, subject.ours, subject.arms, subject.folder.timing),
      fmt::format("Timed are the selections of {}, first seed. Arms that spend as many MACs at a "
                  "budget are placed at the same time; the others are left out.",
                  subject.ours.key));
}

std::string alive_part(const Subject& subject) {
  return html_figure(alive_map(subject.runs[0], subject.ours.key),
                     "Darkest: on at any budget. A budget keeps every unit whose number is not "
                     "above it.");
}

std::string gates_part(const Subject& subject) {
  const ArmRecord* budgeted = subject.runs[0].find("budgeted");
  std::string html;
  if (budgeted != nullptr && budgeted->gates) {
    html += html_figure(budgeted::gate_plot(subject.runs[0]),
                        "What the gates learned; hard budgets keep the highest.");
  }
  return html + html_figure(budgeted::mass_plot(subject.runs),
                            "On the diagonal the soft cost is what was asked for.");
}

// Of models that choose heads per input; nothing for others.
std::string choice_part(const Subject& subject) {
  const Runs& runs = subject.runs;
  const std::string& arm = subject.ours.key;
  return html_figure(adaptive::share_curve_plot(runs),
                     "The share of heads that texts ask for, once heads cost something.") +
         html_figure(adaptive::entropy_curve_plot(runs),
                     "How sharply heads are told apart; at a constant temperature only what is "
                     "learned shows.") +
         html_figure(adaptive::difficulty_plot(runs, arm),
                     "Texts in thirds of the loss that a separately trained dense model has on "
                     "them.") +
         html_figure(adaptive::class_map(runs, arm),
                     "Which classes ask for more, and in which block.") +
         html_figure(adaptive::attention_map_figure(runs),
                     "One text: the most and the least relevant head of every block.");
}

Table cost_rows(const Subject& subject) {
  Table table{{"budget", "active heads", "active FFN", "MACs per row", "of dense", "parameters",
               "as fp32", "as bf16"},
              {}};
  for (const double budget : subject.budgets) {
    const auto cell = [&](PointField key, const auto& show) {
      const Estimate value = estimate(values_of(subject.runs, subject.ours.key, budget, key));
      return value.count == 0 ? std::string("-") : show(value.mean);
    };
    const auto percent = [](double share) { return fmt::format("{:.1f} %", 100 * share); };
    if (values_of(subject.runs, subject.ours.key, budget, &Point::accuracy).empty()) continue;
    table.rows.push_back(
        {fmt::format("{}", budget), cell(&Point::active_heads, percent),
         cell(&Point::active_ffn, percent),
         cell(&Point::model_macs, [](double macs) { return fmt::format("{:.2f} M", macs / 1e6); }),
         cell(&Point::macs_fraction, percent),
         cell(&Point::parameters,
              [](double count) { return with_commas(static_cast<int64_t>(count)); }),
         cell(&Point::parameters, [](double count) { return megabytes(4 * count); }),
         cell(&Point::parameters, [](double count) { return megabytes(2 * count); })});
  }
  return table;
}

std::string cost_part(const Subject& subject) {
  const Table table = cost_rows(subject);
  if (table.rows.empty()) return "";
  return paragraph(fmt::format("Of {}. MACs are means per test row at its own length; parameters "
                               "are those that remain when the others are cut out.",
                               subject.ours.key)) +
         html_table(table);
}

std::string missing_part(const Subject& subject) {
  const std::vector<std::string> missing = missing_arms(subject.runs, subject.arms);
  return missing.empty() ? "" : paragraph(join(missing, "; "));
}

}  // namespace

Chapter results_chapter(const ResultsFolder& folder) {
  if (folder.experiment == "variants") return variants::chapter(folder);
  const Subject subject = subject_of(folder);
  Chapter chapter = chapter_about(folder);
  chapter.sections = {
      {"overview", "At a glance", glance(subject)},
      {"compute", "Accuracy against compute", compute_part(subject)},
      {"differences", "Paired differences", difference_part(subject)},
      {"time", "Accuracy against time", time_part(subject)},
      {"cap", "How much of the cap is reached", cap_section(folder.timing)},
      {"alive", "When units come alive", alive_part(subject)},
      {"gates", "Gates", gates_part(subject)},
      {"choice", "Heads chosen per input", choice_part(subject)},
      {"memory", "Parameters and bytes", cost_part(subject)},
      {"missing", "Arms that were not run", missing_part(subject)},
      {"commands", "Commands", experiment_command(folder)},
  };
  return chapter;
}

}  // namespace headroom::experiments
