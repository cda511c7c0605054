#include "report/plot/accuracy_plot.h"

#include <fmt/format.h>

#include <algorithm>

namespace headroom {
namespace {

void widen(ValueRange& range, const Series& series) {
  for (const double y : series.y) range = {std::min(range.low, y), std::max(range.high, y)};
}

constexpr ValueRange no_accuracy = {1, 0};

constexpr double least_reach = 0.02;  // below ours; two points are far more than noise

// Every arm comes close to dense at full budget, and there hides its point.
void add_dense_level(LinePlot& plot, const Runs& runs) {
  const Estimate accuracy = estimate(values_of(runs, "dense", 1.0, "accuracy"));
  if (accuracy.count == 0) return;
  plot.references.push_back({ReferenceKind::horizontal, accuracy.mean, "level of dense"});
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
  plot.title = fmt::format("Accuracy against compute: {}", runs[0].at("task").get<std::string>());
  plot.subtitle = fmt::format("test accuracy, {}", describe_intervals(runs));
  plot.x_label = "whole-model MACs, share of dense";
  plot.y_label = "accuracy";
  plot.x_format = ValueFormat::percent;
  plot.y_format = ValueFormat::percent;
  for (const ArmEstimates& row : accuracies(runs, arms, budgets)) {
    Series series;
    series.name = row.arm.title;
    for (size_t i = 0; i < budgets.size(); ++i) {
      const Estimate share = estimate(values_of(runs, row.arm.key, budgets[i], "macs_fraction"));
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
  const Estimate accuracy = estimate(values_of(runs, "fasttext", 1.0, "accuracy"));
  if (accuracy.count == 0) return;
  const Estimate time = estimate(values_of(runs, "fasttext", 1.0, "ms"));
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

}  // namespace headroom
