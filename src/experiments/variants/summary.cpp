#include "experiments/variants/summary.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "experiments/arms.h"
#include "experiments/summary_parts.h"
#include "experiments/variants/plots.h"

namespace headroom {
namespace {

constexpr Arm arms[] = {
    {"standard", "standard"},
    {"optimized", "optimized"},
    {"efficient", "efficient"},
    {"super", "super"},
    {"standard-matched", "standard, half the heads"},
    {"standard-mixing", "standard with a mixing matrix"},
};

std::string verdict_of(const Estimate& gain, double margin) {
  if (gain.count < 2) return "one seed";
  if (gain.low() > 0) return gain.low() > margin ? "better by more than the margin" : "better";
  if (gain.high() < 0) return gain.high() < -margin ? "worse by more than the margin" : "worse";
  const bool level = gain.low() > -margin && gain.high() < margin;
  return level ? "level" : "not decided";
}

std::string with_interval(double mean, double half_width, int count, bool sign) {
  const std::string number = sign ? fmt::format("{:+.3f}", mean) : fmt::format("{:.3f}", mean);
  return count < 2 ? number : fmt::format("{} ± {:.3f}", number, half_width);
}

double mean_of(const Runs& runs, const Arm& arm, const char* key) {
  return estimate(values_of(runs, arm.key, 1.0, key)).mean;
}

Table score_table(const Runs& runs, const VariantsMeasure& measure) {
  Table table{{"attention", measure.title, "gain over standard", "verdict", "attention parameters",
               "all parameters", "forward MACs", "forward + backward"},
              {}};
  for (const Arm& arm : arms) {
    const Estimate score = estimate(values_of(runs, arm.key, 1.0, measure.key));
    if (score.count == 0) continue;
    const Estimate gain = variants_gain(runs, arm.key, "standard", measure);
    const bool itself = std::string_view(arm.key) == "standard";
    table.rows.push_back({arm.title,
                          with_interval(measure.scale * score.mean,
                                        measure.scale * score.half_width, score.count, false),
                          itself || gain.count == 0
                              ? "-"
                              : with_interval(gain.mean, gain.half_width, gain.count, true),
                          itself ? "-" : verdict_of(gain, margin_of(measure)),
                          fmt::format("{:.0f}", mean_of(runs, arm, "attention_parameters")),
                          fmt::format("{:.0f}", mean_of(runs, arm, "parameters")),
                          fmt::format("{:.3f} M", mean_of(runs, arm, "model_macs") / 1e6),
                          fmt::format("{:.3f} M", mean_of(runs, arm, "training_macs") / 1e6)});
  }
  return table;
}

Table timing_table(const Json& timing) {
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

std::string describe_model(const Json& run) {
  const Json& shape = run.at("shape");
  return fmt::format("{} layers, width {}, {} heads, FFN {}, up to {} tokens, vocabulary {}",
                     shape.at("layers").dump(), shape.at("width").dump(), shape.at("heads").dump(),
                     shape.at("ffn").dump(), shape.at("max_tokens").dump(),
                     shape.at("vocabulary").dump());
}

Json results_of(const Runs& runs, const Json& timing, const VariantsMeasure& measure) {
  Json results = describe_results("variants", runs, reproduce_command("variants", runs));
  results["shape"] = runs[0].at("shape");
  results["recipe"] = runs[0].at("recipe");
  results["measure"] = measure.key;
  results["margin"] = margin_of(measure);
  for (const Arm& arm : arms) {
    const std::vector<double> values = values_of(runs, arm.key, 1.0, measure.key);
    if (values.empty()) continue;
    Json& entry = results["arms"][arm.key];
    entry["score"] = to_json(estimate(values));
    entry["validation_loss"] =
        to_json(estimate(values_of(runs, arm.key, 1.0, "loss", "validation")));
    const Estimate gain = variants_gain(runs, arm.key, "standard", measure);
    if (gain.count > 0) entry["gain_over_standard"] = to_json(gain);
    for (const char* key :
         {"attention_parameters", "parameters", "attention_macs", "model_macs", "training_macs"}) {
      entry[key] = mean_of(runs, arm, key);
    }
  }
  results["timing"] = timing;
  return results;
}

std::string page_of(const Runs& runs, const Json& timing, const VariantsMeasure& measure,
                    const VariantsSummary& parts) {
  std::string text = fmt::format(
      "# Kinds of attention: {}\n\nMade by `{}`.\n\n{}\n"
      "All arms share steps, rates, batches and seeds; the weights that validated best are scored "
      "once on the test rows. Mean ± half the 95 % interval over seeds. A gain is paired by seed, "
      "and positive is better; \"level\" means that its interval lies within {} of zero, a margin "
      "fixed before the runs. Backward passes count twice the forward pass.\n\n{}\n",
      runs[0].at("task").get<std::string>(), reproduce_command("variants", runs),
      describe_setting(runs, describe_model(runs[0])), margin_of(measure),
      markdown(parts.score_table));
  if (!parts.scores.empty()) text += "![score by kind](scores.svg)\n\n";
  text += "![MACs by kind](macs.svg)\n";
  if (!parts.latency.empty()) {
    text += fmt::format(
        "\n## Measured time\n\nOne attention layer on one sequence, heads of 32 columns, libtorch "
        "on "
        "one thread, all kinds in every round, on {}, {}.\n\n![time by kind](latency.svg)\n\n{}",
        timing.at("machine").at("cpu").get<std::string>(), timing.at("date").get<std::string>(),
        markdown(parts.time_table));
  }
  return text + missing_section(runs, arms);
}

}  // namespace

VariantsSummary summarise_variants(const std::vector<Json>& runs, const Json& timing) {
  if (runs.empty()) throw Error(ErrorCode::usage, "summarise", "there are no runs");
  const VariantsMeasure measure = variants_measure(runs[0]);
  VariantsSummary summary;
  summary.results = results_of(runs, timing, measure);
  summary.scores = variants_score_plot(runs, arms, measure);
  summary.macs = variants_macs_plot();
  summary.latency = variants_latency_plot(timing);
  summary.score_table = score_table(runs, measure);
  summary.time_table = timing_table(timing);
  summary.page = page_of(runs, timing, measure, summary);
  return summary;
}

}  // namespace headroom
