#include "experiments/adaptive/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/table.h"
#include "experiments/adaptive/claims.h"
#include "experiments/adaptive/findings.h"
#include "experiments/adaptive/plots.h"
#include "experiments/summary_parts.h"
#include "report/plot/accuracy_plot.h"
#include "report/plot/marker.h"

namespace headroom {
namespace {

constexpr double shown_caps[] = {0.125, 0.25, 0.375, 0.5, 1.0};

std::string heading(const Runs& runs) {
  const Json& shape = runs[0].at("shape");
  const std::string model = fmt::format(
      "{} layers, width {}, {} heads, FFN {}, up to {} tokens, vocabulary {}",
      shape.at("layers").dump(), shape.at("width").dump(), shape.at("heads").dump(),
      shape.at("ffn").dump(), shape.at("max_tokens").dump(), shape.at("vocabulary").dump());
  return fmt::format(
      "# Heads chosen per input: {}\n\nMade by `{}`. What is trained and why: "
      "[adaptive.md](../../adaptive.md).\n\n{}- Start: {}; every arm takes {} steps.\n\n",
      runs[0].at("task").get<std::string>(), reproduce_command("adaptive", runs),
      describe_setting(runs, model), runs[0].value("start", "fresh weights"),
      runs[0].at("steps").dump());
}

std::string claim_section(const std::vector<JudgedClaim>& claims) {
  Table table{{"", "claim", "found", "verdict"}, {}};
  for (const JudgedClaim& claim : claims) {
    table.rows.push_back(
        {std::to_string(claim.number), claim.statement, claim.found, claim.verdict});
  }
  return fmt::format(
      "## The published claims\n\nMean ± half the 95 % interval over the seeds; \"holds\" and "
      "\"refuted\" need an interval on one side.\n\n{}\n",
      markdown(table));
}

std::string arm_section(const Runs& runs) {
  Table table{{"arm", "accuracy, %", "minus dense, points", "p", "s", "heads, %", "MACs, %",
               "as published, %", "rate"},
              {}};
  for (const Arm& arm : adaptive_arms()) {
    const std::vector<double> accuracy = uncapped(runs, arm.key, "accuracy");
    if (accuracy.empty()) continue;
    const std::vector<double> differences = paired(runs, arm.key, "dense", "accuracy");
    const bool compared = std::string_view(arm.key) != "dense" && !differences.empty();
    table.rows.push_back({arm.title, spread(accuracy, 100),
                          compared ? spread(differences, 100) : "-",
                          compared ? fmt::format("{:.2f}", t_test(differences)) : "-",
                          spread(uncapped(runs, arm.key, "s_mean")),
                          spread(uncapped(runs, arm.key, "active_heads"), 100, 1),
                          spread(uncapped(runs, arm.key, "macs_fraction"), 100, 1),
                          spread(uncapped(runs, arm.key, "published_fraction"), 100, 1),
                          spread(at_path(runs, arm.key, "/rate"), 1, 5)});
  }
  return fmt::format(
      "## Test accuracy and cost\n\nMean ± half the 95 % interval, over {}; p of a paired "
      "t-test. Heads are whole heads that ran. MACs are those of the whole model with projections "
      "skipped and controllers added, over dense; \"as published\" counts the attention block "
      "alone, with its projections whole and the rest times s.\n\n{}\n",
      runs.size() == 1 ? "one seed" : fmt::format("{} seeds", runs.size()), markdown(table));
}

std::string cap_section(const Runs& runs, const std::string& ours) {
  Table table{{"`--budget`", "accuracy, %", "minus dense, points", "heads, %", "MACs, %"}, {}};
  for (const double cap : shown_caps) {
    const std::vector<double> accuracy = values_of(runs, ours, cap, "accuracy");
    if (accuracy.empty()) continue;
    table.rows.push_back({fmt::format("{}", cap), spread(accuracy, 100),
                          spread(paired(runs, ours, "dense", "accuracy", cap), 100),
                          spread(values_of(runs, ours, cap, "active_heads"), 100, 1),
                          spread(values_of(runs, ours, cap, "macs_fraction"), 100, 1)});
  }
  if (table.rows.empty()) return "";
  return fmt::format(
      "## Capped by a budget\n\n`{}` was not trained for caps; a cap keeps the most relevant of "
      "the heads that a text asked for.\n\n{}\n",
      ours, markdown(table));
}

std::string override_section(const Runs& runs) {
  Table table{{"overruled at test time", "accuracy, %", "heads, %"}, {}};
  const auto add = [&](const std::string& name, const std::string& path) {
    const std::vector<double> accuracy = at_path(runs, "adaptive", path + "/accuracy");
    if (accuracy.empty()) return;
    table.rows.push_back({name, spread(accuracy, 100),
                          spread(at_path(runs, "adaptive", path + "/active_heads"), 100, 1)});
  };
  add("nothing", "/points/0");
  for (int i = 0; i < 4; ++i) {
    const std::string path = fmt::format("/overrides/fixed_share/{}", i);
    const std::vector<double> share = at_path(runs, "adaptive", path + "/share");
    if (!share.empty()) add(fmt::format("s = {}", share[0]), path);
  }
  add("heads at random", "/overrides/random_heads");
  if (table.rows.empty()) return "";
  return fmt::format(
      "## Ablations by overruling\n\nThe adaptive arm with a part of its controllers overruled; "
      "the "
      "retrained ablations are in the first table.\n\n{}\n",
      markdown(table));
}

std::string cost_section(const Runs& runs, const std::string& ours, const Json& timing) {
  std::string text = "## Time and memory\n\n";
  if (timing.contains("arms")) {
    Table table{{"model", "batch", "dense ms", "chosen ms", "time saved", "MACs saved",
                 "of what MACs promise"},
                {}};
    for (const auto& [arm, cell] : timing.at("arms").items()) {
      table.rows.push_back({arm, cell.at("batch").dump(),
                            fmt::format("{:.2f}", cell.at("dense_ms").get<double>()),
                            fmt::format("{:.2f}", cell.at("chosen_ms").get<double>()),
                            fmt::format("{:.1f} %", 100 * cell.at("time_saved").get<double>()),
                            fmt::format("{:.1f} %", 100 * cell.at("macs_saved").get<double>()),
                            fmt::format("{:.0f} %", 100 * cell.at("realised").get<double>())});
    }
    text += fmt::format(
        "Native engine, fp32, one thread, on {}, {}: batches of test texts at their own lengths, "
        "all "
        "heads and chosen heads of the same checkpoint (seed 1) in turns, medians.\n\n{}\n",
        timing.at("machine").at("cpu").get<std::string>(), timing.at("date").get<std::string>(),
        markdown(table));
  }
  const std::vector<double> dense = at_path(runs, ours, "/memory/dense_bytes");
  if (!dense.empty()) {
    text += fmt::format(
        "Peak of tensors alive in one forward pass of 32 texts with libtorch on a CPU, weights "
        "aside: {} MB with all heads, {} MB with chosen ones.\n\n",
        spread(dense, 1e-6), spread(at_path(runs, ours, "/memory/chosen_bytes"), 1e-6));
  }
  return text;
}

void add_plot(AdaptiveSummary& summary, std::string& text, const char* title, const char* file,
              std::string svg) {
  if (svg.empty()) return;
  text += fmt::format("![{}]({})\n\n", title, file);
  summary.plots.emplace_back(file, std::move(svg));
}

// Adaptive arms as curves over their caps. Below a quarter of the heads they fall so far that the
// rest could not be told apart; nor could more arms than there are markers: the table has them all.
std::string accuracy_figure(const Runs& runs) {
  const Arms arms = adaptive_arms();
  const Arms drawn = arms.first(std::min(arms.size(), distinct_markers()));
  LinePlot plot = accuracy_plot(runs, drawn, {0.25, 0.375, 0.5, 1.0});
  plot.subtitle += "; curves: capped by budgets";
  return plot.series.empty() ? "" : draw(plot);
}

Json arm_results(const Runs& runs) {
  Json json;
  for (const Arm& arm : adaptive_arms()) {
    for (const char* key : {"accuracy", "s_mean", "active_heads", "macs_fraction",
                            "published_fraction", "parameters"}) {
      const std::vector<double> values = uncapped(runs, arm.key, key);
      if (!values.empty()) json[arm.key][key] = to_json(estimate(values));
    }
    const std::vector<double> differences = paired(runs, arm.key, "dense", "accuracy");
    if (differences.empty()) continue;
    const Interval resampled = bootstrap(differences);
    json[arm.key]["minus_dense"] = to_json(estimate(differences));
    json[arm.key]["minus_dense"]["p"] = t_test(differences);
    json[arm.key]["minus_dense"]["bootstrap"] = {resampled.low, resampled.high};
  }
  return json;
}

}  // namespace

AdaptiveSummary summarise_adaptive(const std::vector<Json>& runs, const Json& timing) {
  if (runs.empty()) throw Error(ErrorCode::usage, "summarise", "there are no runs");
  const std::string ours = chosen_adaptive(runs);
  const std::vector<JudgedClaim> claims = adaptive_claims(runs, ours, timing);
  AdaptiveSummary summary;
  summary.results = describe_results("adaptive", runs, reproduce_command("adaptive", runs));
  summary.results["compared_arm"] = ours;
  summary.results["claims"] = to_json(claims);
  summary.results["arms"] = arm_results(runs);
  summary.results["timing"] = timing;
  std::string text = heading(runs) + claim_section(claims);
  add_plot(summary, text, "accuracy against compute", "accuracy.svg", accuracy_figure(runs));
  text += arm_section(runs) + cap_section(runs, ours) + override_section(runs) +
          cost_section(runs, ours, timing);
  add_plot(summary, text, "s while training", "share.svg", share_curve_plot(runs));
  add_plot(summary, text, "entropy while training", "entropy.svg", entropy_curve_plot(runs));
  add_plot(summary, text, "s by difficulty", "difficulty.svg", difficulty_plot(runs, ours));
  add_plot(summary, text, "s by class", "classes.svg", class_map(runs, ours));
  add_plot(summary, text, "attention of one text", "attention.svg", attention_map_figure(runs));
  summary.page = text + missing_section(runs, adaptive_arms());
  return summary;
}

}  // namespace headroom
