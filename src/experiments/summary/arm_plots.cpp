#include "experiments/summary/arm_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/plot/alive_map.h"
#include "report/plot/time_plot.h"

namespace headroom::experiments {
namespace {

void widen(ValueRange& range, const Series& series) {
  for (const double y : series.y) range = {std::min(range.low, y), std::max(range.high, y)};
}

constexpr ValueRange no_accuracy = {1, 0};

constexpr double least_reach = 0.02;  // below ours; two points are far more than noise

// Every arm comes close to dense at full budget, and there hides its point.
void add_dense_level(LinePlot& plot, const Runs& runs) {
  const Estimate accuracy = estimate(values_of(runs, "dense", 1.0, &Point::accuracy));
  if (accuracy.count == 0) return;
  plot.references.push_back({ReferenceKind::horizontal, accuracy.mean, "level of dense"});
}

// Selections of equal size cost the same MACs but for the lengths of the rows they were scored on.
constexpr double same_cost = 0.01;

bool costs_as_much(const Runs& runs, const Arm& arm, const Arm& ours, double budget) {
  const Estimate theirs = estimate(values_of(runs, arm.key, budget, &Point::macs_fraction));
  const Estimate timed = estimate(values_of(runs, ours.key, budget, &Point::macs_fraction));
  return theirs.count > 0 && timed.count > 0 && std::abs(theirs.mean - timed.mean) < same_cost;
}

Series times_of(const Runs& runs, const Arm& arm, const Arm& ours, const std::vector<Json>& cells) {
  Series series;
  series.name = arm.title;
  for (const Json& cell : cells) {
    const double budget = cell.at("budget").get<double>();
    const Estimate accuracy = estimate(values_of(runs, arm.key, budget, &Point::accuracy));
    if (accuracy.count == 0 || !costs_as_much(runs, arm, ours, budget)) continue;
    add_accuracy(series, cell.at("median_ms").get<double>(), accuracy);
  }
  return series;
}

BudgetSelections selections_of(const GateParameters& gates) {
  return {[gates](double budget) { return select_heads(gates.order(budget), budget); }, 0};
}

}  // namespace

void add_accuracy(Series& series, double x, const Estimate& accuracy) {
  series.x.push_back(x);
  series.y.push_back(accuracy.mean);
  series.low.push_back(std::max(0.0, accuracy.low()));
  series.high.push_back(std::min(1.0, accuracy.high()));
}

std::string describe_intervals(const Runs& runs) {
  return runs.size() == 1 ? "one seed"
                          : fmt::format("mean and 95 % interval over {} seeds", runs.size());
}

LinePlot accuracy_plot(const Runs& runs, Arms arms, const std::vector<double>& budgets) {
  LinePlot plot;
  plot.title = fmt::format("Accuracy against compute: {}", runs[0].task);
  plot.subtitle = fmt::format("test accuracy, {}", describe_intervals(runs));
  plot.x_label = "whole-model MACs, share of dense";
  plot.y_label = "accuracy";
  plot.x_format = ValueFormat::percent;
  plot.y_format = ValueFormat::percent;
  for (const ArmEstimates& row : accuracies(runs, arms, budgets)) {
    Series series;
    series.name = row.arm.title;
    for (size_t i = 0; i < budgets.size(); ++i) {
      const Estimate share =
          estimate(values_of(runs, row.arm.key, budgets[i], &Point::macs_fraction));
      if (row.at[i].count > 0 && share.count > 0) add_accuracy(series, share.mean, row.at[i]);
    }
    if (!series.x.empty()) plot.series.push_back(series);
  }
  return plot;
}

LinePlot framed_accuracy_plot(const Runs& runs, const Arm& ours, Arms arms,
                              const std::vector<double>& budgets) {
  LinePlot plot = accuracy_plot(runs, arms, budgets);
  if (plot.series.empty()) return plot;
  add_dense_level(plot, runs);
  add_fasttext(plot, runs);
  frame_on(plot, ours);
  return plot;
}

void frame_on(LinePlot& plot, const Arm& ours) {
  const ValueRange kept = range_of(plot, ours.title);
  if (kept.low > kept.high) return;
  const ValueRange all = range_of(plot);
  double bottom = kept.low;
  double top = all.high;
  for (const ReferenceLine& line : plot.references) {
    bottom = std::min(bottom, line.value);
    top = std::max(top, line.value);
  }
  bottom -= std::max(least_reach, all.high - kept.low);
  if (all.low >= bottom) return;
  for (const Series& series : plot.series) {
    top = std::max(top, *std::max_element(series.high.begin(), series.high.end()));
  }
  plot.y_range = ValueRange{bottom, top + 0.06 * (top - bottom)};
  plot.subtitle += "; what collapses runs off the bottom";
}

void add_fasttext(LinePlot& plot, const Runs& runs) {
  const Estimate accuracy = estimate(values_of(runs, "fasttext", 1.0, &Point::accuracy));
  if (accuracy.count == 0) return;
  const Estimate time = estimate(values_of(runs, "fasttext", 1.0, &Point::ms));
  plot.references.push_back(
      {ReferenceKind::horizontal, accuracy.mean,
       time.count > 0 ? fmt::format("fastText ({:.2g} ms)", time.mean) : "fastText"});
}

ValueRange range_of(const LinePlot& plot, std::string_view name) {
  ValueRange range = no_accuracy;
  for (const Series& series : plot.series) {
    if (series.name == name) widen(range, series);
  }
  return range;
}

ValueRange range_of(const LinePlot& plot) {
  ValueRange range = no_accuracy;
  for (const Series& series : plot.series) widen(range, series);
  return range;
}

LinePlot accuracy_time_plot(const Runs& runs, const Arm& ours, Arms arms, const Json& timing) {
  const std::vector<Json> cells = single_text_cells(timing);
  LinePlot plot;
  if (times_of(runs, ours, ours, cells).x.empty()) return plot;
  plot.title = fmt::format("Accuracy against time: {}", runs[0].task);
  plot.subtitle =
      fmt::format("{}; accuracy: {}", describe_timing(timing), describe_intervals(runs));
  plot.x_label = "median milliseconds";
  plot.y_label = "accuracy";
  plot.y_format = ValueFormat::percent;
  for (const Arm& arm : arms) {
    Series series = times_of(runs, arm, ours, cells);
    if (!series.x.empty()) plot.series.push_back(std::move(series));
  }
  add_fasttext(plot, runs);
  frame_on(plot, ours);
  return plot;
}

std::string alive_map(const Record& run, const std::string& arm) {
  const ArmRecord* found = run.find(arm);
  if (found == nullptr || (found->order.empty() && !found->gates)) return "";
  const ModelShape shape = shape_of(run);
  const BudgetSelections selections = found->order.empty()
                                          ? selections_of(gates_of(run, arm))
                                          : report::selections_of(order_of(run, arm), shape);
  return report::alive_map(selections, shape,
                           fmt::format("{}, {}, seed {}", run.task, arm, run.seed));
}

}  // namespace headroom::experiments
