#include "experiments/variants/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "experiments/summary/parts.h"
#include "experiments/variants/kind_budgets_summary.h"
#include "experiments/variants/plots.h"

namespace headroom::experiments::variants {
namespace {

constexpr Arm known_arms[] = {
    {"standard", "standard"},
    {"optimized", "optimized"},
    {"efficient", "efficient"},
    {"super", "super"},
    {"standard-matched", "standard, half the heads"},
    {"standard-mixing", "standard with a mixing matrix"},
    {"super-xavier", "super, W_A from Xavier"},
};

std::string with_interval(double mean, double half_width, int count, bool sign) {
  const std::string number = sign ? fmt::format("{:+.3f}", mean) : fmt::format("{:.3f}", mean);
  return count < 2 ? number : fmt::format("{} ± {:.3f}", number, half_width);
}

double mean_of(const Runs& runs, const Arm& arm, PointField key) {
  return estimate(values_of(runs, arm.key, 1.0, key)).mean;
}

Json results_of(const Runs& runs, const Json& timing, const Measure& measure) {
  Json results = describe_results("variants", runs);
  const Json run = to_json(runs[0]);
  results["shape"] = run.value("shape", Json());
  results["recipe"] = run.value("recipe", Json());
  results["measure"] = measure.key;
  results["margin"] = margin_of(measure);
  for (const Arm& arm : known_arms) {
    const std::vector<double> values = values_of(runs, arm.key, 1.0, measure.field);
    if (values.empty()) continue;
    Json& entry = results["arms"][arm.key];
    entry["score"] = to_json(estimate(values));
    entry["validation_loss"] =
        to_json(estimate(values_of(runs, arm.key, 1.0, &Point::loss, &ArmRecord::validation)));
    const Estimate gained = gain(runs, arm.key, "standard", measure);
    if (gained.count > 0) entry["gain_over_standard"] = to_json(gained);
    entry["attention_parameters"] = mean_of(runs, arm, &Point::attention_parameters);
    entry["parameters"] = mean_of(runs, arm, &Point::parameters);
    entry["attention_macs"] = mean_of(runs, arm, &Point::attention_macs);
    entry["model_macs"] = mean_of(runs, arm, &Point::model_macs);
    entry["training_macs"] = mean_of(runs, arm, &Point::training_macs);
  }
  results["timing"] = timing;
  return results;
}

// Which uncertainty is shown.
const char* about_rows(const Runs& runs, const Measure& measure) {
  return row_gains(runs, "super", "standard", measure).empty()
             ? "All seeds share one test set, so what another sample of test rows would change is "
               "not in the intervals. "
             : "\"± by test rows\" is half the 95 % interval of the same gain, averaged over "
               "seeds, "
               "over test rows: what another sample of them would change. ";
}

// Whether training longer might have changed the numbers.
std::string sentence_of(const LastBest& best) {
  return best.runs == 0
             ? ""
             : fmt::format(" {} of {} runs validated best at the last step.{}", best.last,
                           best.runs, best.most() ? " More steps may change these numbers." : "");
}

std::string write_text(const Runs& runs, const Json& timing, const Measure& measure,
                       const Figure& scores, const Figure& latency) {
  std::string text =
      page_heading(fmt::format("Kinds of attention: {}", runs[0].task), "variants", runs,
                   describe_model(runs[0])) +
      fmt::format(
          "\nAll arms share steps, rates, batches and seeds; the weights that validated best are "
          "scored once on the test rows. Mean ± half the 95 % interval over seeds. A gain is "
          "paired by seed, and positive is better; intervals are not corrected for looking at "
          "several data sets, so verdicts stand in [the claims](../README.md) alone. {}Backward "
          "passes count twice the forward pass.{}\n\n{}\n",
          about_rows(runs, measure), sentence_of(last_best(runs)), markdown(score_table(runs))) +
      image("score by kind", scores) + "![MACs by kind](macs.svg)\n";
  if (!latency.svg.empty()) {
    text += fmt::format(
        "\n## Measured time\n\nOne attention layer on one sequence, heads of 32 columns, libtorch "
        "on one thread, all kinds in every round, on {}, {}.\n\n{}{}",
        timing.at("machine").at("cpu").get<std::string>(), timing.at("date").get<std::string>(),
        image("time by kind", latency), markdown(time_table(timing)));
  } else {
    text += "\nThe time of a layer depends on no task: `--task imdb32` measures it.\n";
  }
  return text + missing_section(runs, known_arms);
}

}  // namespace

Arms arms() {
  return known_arms;
}

Table score_table(const Runs& runs) {
  const Measure measure = measure_of(runs[0]);
  const auto row_gain = [&](const Arm& arm) {
    return estimate(row_gains(runs, arm.key, "standard", measure));
  };
  const bool rows_stored = std::any_of(std::begin(known_arms), std::end(known_arms),
                                       [&](const Arm& arm) { return row_gain(arm).count > 0; });
  Table table{{"attention", measure.title, "gain over standard", "attention parameters",
               "all parameters", "forward MACs", "forward + backward"},
              {}};
  if (rows_stored) table.header.insert(table.header.begin() + 3, "± by test rows");
  for (const Arm& arm : known_arms) {
    const Estimate score = estimate(values_of(runs, arm.key, 1.0, measure.field));
    if (score.count == 0) continue;
    const Estimate gained = gain(runs, arm.key, "standard", measure);
    const bool itself = std::string_view(arm.key) == "standard";
    table.rows.push_back(
        {arm.title,
         with_interval(measure.scale * score.mean, measure.scale * score.half_width, score.count,
                       false),
         itself || gained.count == 0
             ? "-"
             : with_interval(gained.mean, gained.half_width, gained.count, true),
         fmt::format("{:.0f}", mean_of(runs, arm, &Point::attention_parameters)),
         fmt::format("{:.0f}", mean_of(runs, arm, &Point::parameters)),
         fmt::format("{:.3f} M", mean_of(runs, arm, &Point::model_macs) / 1e6),
         fmt::format("{:.3f} M", mean_of(runs, arm, &Point::training_macs) / 1e6)});
    if (!rows_stored) continue;
    const Estimate row = row_gain(arm);
    table.rows.back().insert(
        table.rows.back().begin() + 3,
        itself || row.count == 0 ? "-" : fmt::format("{:.3f}", measure.scale * row.half_width));
  }
  return table;
}

Table time_table(const Json& timing) {
  Table table{{"d", "n", "attention", "median ms", "over standard", "MACs over standard"}, {}};
  if (!timing.contains("cells")) return table;
  for (const Json& cell : timing.at("cells")) {
    table.rows.push_back({cell.at("width").dump(), cell.at("tokens").dump(),
                          cell.at("attention").get<std::string>(),
                          fmt::format("{:.3f}", cell.at("median_ms").get<double>()),
                          fmt::format("{:.2f}", cell.at("over_standard").get<double>()),
                          fmt::format("{:.2f}", cell.at("macs_over_standard").get<double>())});
  }
  return table;
}

Page summarise(const Runs& runs, const Json& timing) {
  require_summarisable(runs);
  if (runs[0].task == kind_budgets_task) return summarise_kind_budgets(runs);
  const Measure measure = measure_of(runs[0]);
  const Figure scores = {"scores.svg", score_plot(runs, known_arms, measure)};
  const Figure latency = {"latency.svg", latency_plot(timing)};
  return {results_of(runs, timing, measure),
          write_text(runs, timing, measure, scores, latency),
          {scores, {"macs.svg", macs_plot()}, latency}};
}

}  // namespace headroom::experiments::variants
