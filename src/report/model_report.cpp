#include "report/model_report.h"

#include <fmt/format.h>

#include "report/cap_section.h"
#include "report/measures_section.h"
#include "report/plot/time_plot.h"
#include "report/statistics.h"

namespace headroom::report {
namespace {

// The interval over rows is known of a share of right answers alone.
bool has_interval(const BudgetScore& score) {
  return score.measure == Measure::accuracy;
}

void add_score(Series& series, double x, const BudgetScore& score) {
  series.x.push_back(x);
  series.y.push_back(headline(score));
  if (!has_interval(score)) return;
  const Interval interval = share_interval(score.accuracy, score.examples);
  series.low.push_back(interval.low);
  series.high.push_back(interval.high);
}

std::string score_cell(const BudgetScore& score) {
  if (!has_interval(score)) return measured(score);
  const Interval interval = share_interval(score.accuracy, score.examples);
  return fmt::format("{} ({:.2f}-{:.2f})", measured(score), 100 * interval.low,
                     100 * interval.high);
}

// "Accuracy", "f1": at the beginning of a line; other measures keep the name that eval gives them.
std::string title_of(const BudgetScore& score) {
  return has_interval(score) ? "Accuracy" : measure_title(score);
}

// The score of rung zero alone, which costs next to nothing: what a budget has to beat.
const BudgetScore* floor_of(const MeasuredModel& model) {
  for (const BudgetScore& score : model.ladder) {
    if (!score.automatic) return &score;
  }
  return nullptr;
}

LinePlot model_plot(const MeasuredModel& model, const std::string& against) {
  const BudgetScore& full = model.answers.full().score;
  LinePlot plot;
  plot.title = fmt::format("{} against {}: {}", title_of(full), against, model.name);
  plot.subtitle = fmt::format("{} rows of {}{}", with_commas(full.examples), model.data,
                              has_interval(full) ? ", 95 % interval over rows" : "");
  plot.y_label = measure_title(full);
  if (has_interval(full)) plot.y_format = ValueFormat::percent;
  plot.references.push_back(
      {ReferenceKind::horizontal, headline(full), fmt::format("level of budget {}", full.budget)});
  if (const BudgetScore* const floor = floor_of(model)) {
    plot.references.push_back({ReferenceKind::horizontal, headline(*floor), "rung zero alone"});
  }
  return plot;
}

std::string compute_section(const MeasuredModel& model) {
  LinePlot plot = model_plot(model, "compute");
  plot.x_label = "whole-model MACs, share of dense";
  plot.x_format = ValueFormat::percent;
  const BudgetScore& full = model.answers.full().score;
  Table table{{"budget", measure_title(full) + (has_interval(full) ? " (95 % interval)" : ""),
               "MACs per row", "of dense"},
              {}};
  const auto add = [&](Series& series, const BudgetScore& score) {
    add_score(series, score.model_macs_fraction, score);
    table.rows.push_back({budget_title(score), score_cell(score),
                          fmt::format("{:.2f} M", score.model_macs / 1e6),
                          fmt::format("{:.1f} %", 100 * score.model_macs_fraction)});
  };
  Series series;
  series.name = model.name;
  for (const BudgetAnswers& at : model.answers.budgets) add(series, at.score);
  plot.series.push_back(series);
  for (const BudgetScore& score : model.ladder) {
    Series point;
    point.name = score.automatic ? "budget auto" : "rung zero alone (budget 0)";
    point.points_only = true;
    add(point, score);
    plot.series.push_back(point);
  }
  return html_figure(plot,
                     "One checkpoint; every point is the same weights at another budget. "
                     "MACs are means per row at the rows' own lengths.") +
         html_table(table);
}

const BudgetScore* score_at(const MeasuredModel& model, double budget) {
  for (const BudgetAnswers& at : model.answers.budgets) {
    if (at.score.budget == budget) return &at.score;
  }
  return nullptr;
}

std::string time_section(const MeasuredModel& model) {
  const std::vector<Json> cells = single_text_cells(model.timing);
  LinePlot plot = model_plot(model, "time");
  plot.subtitle += fmt::format("; {}", describe_timing(model.timing));
  plot.x_label = "median milliseconds";
  Series series;
  series.name = fmt::format("{}, {}", model.name, model.precision);
  Table table{{"budget", measure_title(model.answers.full().score), "median ms", "p10", "p90"}, {}};
  for (const Json& cell : cells) {
    const BudgetScore* score = score_at(model, cell.at("budget").get<double>());
    if (score == nullptr) continue;
    const auto milliseconds = [&](const char* key) {
      return fmt::format("{:.3f}", cell.at(key).get<double>());
    };
    add_score(series, cell.at("median_ms").get<double>(), *score);
    table.rows.push_back({fmt::format("{}", score->budget), measured(*score),
                          milliseconds("median_ms"), milliseconds("p10_ms"),
                          milliseconds("p90_ms")});
  }
  if (series.x.empty()) return "";
  plot.series.push_back(series);
  return html_figure(plot,
                     "Measured when this report was made: every budget in every round, in "
                     "shuffled order.") +
         html_table(table);
}

std::string overview_section(const MeasuredModel& model) {
  const BudgetScore& full = model.answers.full().score;
  const BudgetScore& small = model.answers.smallest().score;
  const std::string measure = measure_title(full);
  std::vector<KeyNumber> numbers = {
      {measured(full), fmt::format("{} at budget {}", measure, full.budget)}};
  if (model.answers.budgets.size() > 1) {
    numbers.push_back(
        {measured(small), fmt::format("{} at budget {}, with {:.0f} % of the MACs", measure,
                                      small.budget, 100 * small.model_macs_fraction)});
  }
  add_speedup(numbers, model.timing);
  numbers.push_back({megabytes(static_cast<double>(model.file_bytes)), "weights on disk"});
  return key_numbers(numbers) + html_table(model.description);
}

std::string alive_section(const MeasuredModel& model) {
  if (!model.ordered) return "";
  return html_figure(alive_map(model.selections, model.shape, model.name),
                     "Darkest: on at any budget. A budget keeps every unit whose number is not "
                     "above it, so a smaller budget's units are always among a larger one's.");
}

std::string memory_section(const MeasuredModel& model) {
  Table table{{"budget", "active heads", "active FFN", "parameters", "as fp32", "as bf16",
               "cap on the speed-up"},
              {}};
  for (const BudgetAnswers& at : model.answers.budgets) {
    const BudgetScore& score = at.score;
    const auto parameters = static_cast<double>(score.parameters);
    table.rows.push_back(
        {fmt::format("{}", score.budget), fmt::format("{:.1f} %", 100 * score.active_heads),
         fmt::format("{:.1f} %", 100 * score.active_ffn), with_commas(score.parameters),
         megabytes(4 * parameters), megabytes(2 * parameters),
         fmt::format("{:.2f}x", 1 / score.model_macs_fraction)});
  }
  return html_table(table) +
         paragraph(fmt::format(
             "The parameters are those that remain if the others are cut out, as export does. The "
             "engine keeps all of them and switches between budgets: the file has {}, loading it "
             "as {} took {} of memory, and the process held at most {} while it scored the rows "
             "with {} {}.",
             megabytes(static_cast<double>(model.file_bytes)), model.precision,
             megabytes(static_cast<double>(model.loaded_bytes)),
             megabytes(static_cast<double>(model.peak_bytes)), model.threads,
             model.threads == 1 ? "thread" : "threads"));
}

std::string measures_of(const MeasuredModel& model) {
  std::vector<BudgetScore> scores;
  for (const BudgetAnswers& at : model.answers.budgets) scores.push_back(at.score);
  return measures_section(scores, model.ladder, model.name);
}

}  // namespace

Chapter model_chapter(const MeasuredModel& model, size_t examples) {
  const std::string measure = title_of(model.answers.full().score);
  Chapter chapter;
  chapter.title = fmt::format("{} on {}", model.name, model.data);
  chapter.lead = fmt::format(
      "One checkpoint at {} {}, scored by the native engine in {}.", model.answers.budgets.size(),
      model.answers.budgets.size() == 1 ? "budget" : "budgets", model.precision);
  chapter.sections = {
      {"overview", "At a glance", overview_section(model)},
      {"compute", measure + " against compute", compute_section(model)},
      {"time", measure + " against time", time_section(model)},
      {"measures", "Measures by budget", measures_of(model)},
      {"cap", "How much of the cap is reached", cap_section(model.timing)},
      {"alive", "When units come alive", alive_section(model)},
      {"confusion", "Confusion matrix", confusion_section(model.answers)},
      {"changes", "Answers that change with the budget", changes_section(model.answers, examples)},
      {"memory", "Parameters, bytes, memory", memory_section(model)},
      {"commands", "Commands", command_list(model.commands)},
  };
  return chapter;
}

}  // namespace headroom::report
