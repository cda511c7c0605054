#include "experiments/adaptive/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/join.h"
#include "base/table.h"
#include "experiments/adaptive/claims.h"
#include "experiments/adaptive/findings.h"
#include "experiments/adaptive/plots.h"
#include "experiments/summary/arm_plots.h"
#include "experiments/summary/parts.h"
#include "report/plot/marker.h"

namespace headroom::experiments::adaptive {
namespace {

constexpr double shown_caps[] = {0.125, 0.25, 0.375, 0.5, 1.0};

std::string heading(const Runs& runs) {
  return page_heading(fmt::format("Heads chosen per input: {}", runs[0].task), "adaptive", runs,
                      describe_model(runs[0]),
                      " What is trained and why: [adaptive.md](../../adaptive.md).") +
         fmt::format("- Start: {}; every arm takes {} steps.\n\n",
                     runs[0].start.empty() ? "fresh weights" : runs[0].start,
                     runs[0].steps.value_or(0));
}

std::string claim_section(const std::vector<Finding>& findings) {
  std::string text =
      "## The published claims\n\nMean ± half the 95 % interval over the seeds. Verdicts follow "
      "from all data sets together: [the claims](../README.md).\n\n";
  for (const Finding& finding : findings) {
    const std::string& statement = claim_numbered(finding.claim).claim;
    text += fmt::format("{}. **[{}](../claims/{:02}.md)**: {}.\n", finding.claim, statement,
                        finding.claim, finding.evidence.empty() ? "not run" : finding.found);
  }
  return text + "\n";
}

// Seeds in which an arm ended far below dense, and what its records say of it.
std::string arm_notes(const Runs& runs) {
  std::string text;
  for (const Arm& arm : arms()) {
    std::map<std::string, std::vector<std::string>> notes;
    for (const Record& run : runs) {
      const ArmRecord* found = run.find(arm.key);
      if (found == nullptr) continue;
      const Point* ours = find_point(run, arm.key, 1.0);
      const Point* dense = find_point(run, "dense", 1.0);
      if (ours != nullptr && dense != nullptr && ours->accuracy && dense->accuracy &&
          *ours->accuracy < 0.9 * *dense->accuracy) {
        notes["collapsed: below 90 % of dense, no control"].push_back(
            fmt::format("{} ({:.1f} %)", run.seed, 100 * *ours->accuracy));
      }
      if (!found->note.empty()) notes[found->note].push_back(fmt::format("{}", run.seed));
    }
    for (const auto& [note, seeds] : notes) {
      text += fmt::format("- **{}**, seed {}: {}.\n", arm.title, join(seeds, ", "), note);
    }
  }
  return text.empty() ? "" : text + "\n";
}

std::string arm_section(const Runs& runs) {
  Table table{{"arm", "accuracy, %", "minus dense, points", "p", "s", "heads, %", "MACs, %",
               "as published, %", "rate"},
              {}};
  for (const Arm& arm : arms()) {
    const std::vector<double> accuracy = uncapped(runs, arm.key, &Point::accuracy);
    if (accuracy.empty()) continue;
    const std::vector<double> differences = paired(runs, arm.key, "dense", &Point::accuracy);
    const bool compared = std::string_view(arm.key) != "dense" && !differences.empty();
    table.rows.push_back(
        {arm.title, spread(accuracy, 100), compared ? spread(differences, 100) : "-",
         compared ? fmt::format("{:.2f}", t_test(differences)) : "-",
         spread(uncapped(runs, arm.key, &Point::s_mean)),
         spread(uncapped(runs, arm.key, &Point::active_heads), 100, 1),
         spread(uncapped(runs, arm.key, &Point::macs_fraction), 100, 1),
         spread(uncapped(runs, arm.key, &Point::published_fraction), 100, 1),
         spread(numbers_of(runs, arm.key, [](const ArmRecord& record) { return record.rate; }), 1,
                5)});
  }
  return fmt::format(
      "## Test accuracy and cost\n\nMean ± half the 95 % interval, over {}; p of a paired "
      "t-test. Heads are whole heads that ran. MACs are those of the whole model with projections "
      "skipped and controllers added, over dense; \"as published\" counts the attention block "
      "alone, with its projections whole and the rest times s.\n\n{}\n{}",
      runs.size() == 1 ? "one seed" : fmt::format("{} seeds", runs.size()), markdown(table),
      arm_notes(runs));
}

std::string cap_section(const Runs& runs, const std::string& ours) {
  Table table{{"`--budget`", "accuracy, %", "minus dense, points", "heads, %", "MACs, %"}, {}};
  for (const double cap : shown_caps) {
    const std::vector<double> accuracy = values_of(runs, ours, cap, &Point::accuracy);
    if (accuracy.empty()) continue;
    table.rows.push_back({fmt::format("{}", cap), spread(accuracy, 100),
                          spread(paired(runs, ours, "dense", &Point::accuracy, cap), 100),
                          spread(values_of(runs, ours, cap, &Point::active_heads), 100, 1),
                          spread(values_of(runs, ours, cap, &Point::macs_fraction), 100, 1)});
  }
  if (table.rows.empty()) return "";
  return fmt::format(
      "## Capped by a budget\n\n`{}` was not trained for caps; a cap keeps the most relevant of "
      "the heads that a text asked for.\n\n{}\n",
      ours, markdown(table));
}

// A row per model that was overruled at test time, over the seeds that have it.
std::string override_section(const Runs& runs) {
  Table table{{"overruled at test time", "accuracy, %", "heads, %"}, {}};
  const auto add = [&](const std::string& name, const auto& point) {
    const auto values = [&](PointField field) {
      return numbers_of(runs, "adaptive", [&](const ArmRecord& record) -> std::optional<double> {
        const Point* found = point(record);
        return found == nullptr ? std::nullopt : found->*field;
      });
    };
    const std::vector<double> accuracy = values(&Point::accuracy);
    if (accuracy.empty()) return;
    table.rows.push_back(
        {name, spread(accuracy, 100), spread(values(&Point::active_heads), 100, 1)});
  };
  add("nothing", [](const ArmRecord& record) {
    return record.points.empty() ? nullptr : &record.points.front();
  });
  const ArmRecord* first = runs[0].find("adaptive");
  const size_t shares =
      first != nullptr && first->overrides ? first->overrides->fixed_share.size() : 0;
  for (size_t i = 0; i < shares; ++i) {
    add(fmt::format("s = {}", first->overrides->fixed_share[i].share.value_or(0)),
        [i](const ArmRecord& record) { return fixed_share_point(record, i); });
  }
  add("heads at random", random_heads_point);
  if (shares == 0) return "";
  return fmt::format(
      "## Ablations by overruling\n\nThe adaptive arm with a part of its controllers overruled; "
      "the retrained ablations are in the first table.\n\n{}\n",
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
  const std::vector<double> chosen = memory_peaks(runs, ours, &PeakMemory::chosen_bytes);
  const std::vector<double> all = all_heads_peaks(runs, ours);
  if (!chosen.empty()) {
    text += fmt::format(
        "Peak of tensors alive in one forward pass of 32 texts with libtorch on a CPU, weights "
        "aside: {} MB with chosen heads, which run one at a time; {}. All heads at once take "
        "{} MB: what lies between is the executor's, not the choice's.\n\n",
        spread(chosen, 1e-6),
        all.empty() ? "all heads were not run that way" : spread(all, 1e-6) + " MB with all heads",
        spread(memory_peaks(runs, ours, &PeakMemory::dense_bytes), 1e-6));
  }
  return text;
}

// Adaptive arms as curves over their caps. Below a quarter of the heads they fall so far that the
// rest could not be told apart; nor could more arms than there are markers: the table has them all.
std::string accuracy_figure(const Runs& runs) {
  const Arms drawn = arms().first(std::min(arms().size(), distinct_markers()));
  LinePlot plot = accuracy_plot(runs, drawn, {0.25, 0.375, 0.5, 1.0});
  plot.subtitle += "; curves: capped by budgets";
  return plot.series.empty() ? "" : draw(plot);
}

Json arm_results(const Runs& runs) {
  Json json;
  for (const Arm& arm : arms()) {
    using Named = std::pair<const char*, PointField>;
    for (const auto& [key, field] : {Named{"accuracy", &Point::accuracy},
                                     {"s_mean", &Point::s_mean},
                                     {"active_heads", &Point::active_heads},
                                     {"macs_fraction", &Point::macs_fraction},
                                     {"published_fraction", &Point::published_fraction},
                                     {"parameters", &Point::parameters}}) {
      const std::vector<double> values = uncapped(runs, arm.key, field);
      if (!values.empty()) json[arm.key][key] = to_json(estimate(values));
    }
    const std::vector<double> differences = paired(runs, arm.key, "dense", &Point::accuracy);
    if (differences.empty()) continue;
    const Interval resampled = bootstrap(differences);
    json[arm.key]["minus_dense"] = to_json(estimate(differences));
    json[arm.key]["minus_dense"]["p"] = t_test(differences);
    json[arm.key]["minus_dense"]["bootstrap"] = {resampled.low, resampled.high};
  }
  return json;
}

}  // namespace

Page summarise(const Runs& runs, const Json& timing) {
  require_summarisable(runs);
  const std::string ours = chosen_arm(runs);
  const std::vector<Finding> findings = judge(runs, ours, timing);
  Page page;
  page.results = describe_results("adaptive", runs);
  page.results["compared_arm"] = ours;
  page.results["claims"] = to_json(findings);
  page.results["arms"] = arm_results(runs);
  page.results["timing"] = timing;
  page.figures = {
      {"accuracy.svg", accuracy_figure(runs)},   {"share.svg", share_curve_plot(runs)},
      {"entropy.svg", entropy_curve_plot(runs)}, {"difficulty.svg", difficulty_plot(runs, ours)},
      {"classes.svg", class_map(runs, ours)},    {"attention.svg", attention_map_figure(runs)}};
  page.text = heading(runs) + claim_section(findings) +
              image("accuracy against compute", page.figures[0]) + arm_section(runs) +
              cap_section(runs, ours) + override_section(runs) + cost_section(runs, ours, timing) +
              image("s while training", page.figures[1]) +
              image("entropy while training", page.figures[2]) +
              image("s by difficulty", page.figures[3]) + image("s by class", page.figures[4]) +
              image("attention of one text", page.figures[5]) + missing_section(runs, arms());
  return page;
}

}  // namespace headroom::experiments::adaptive
