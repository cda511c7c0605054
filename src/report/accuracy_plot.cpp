#include "report/accuracy_plot.h"

#include <fmt/format.h>

#include <algorithm>

namespace headroom {
namespace {

void widen(ValueRange& range, const Series& series) {
  for (const double y : series.y) range = {std::min(range.low, y), std::max(range.high, y)};
}

constexpr ValueRange no_accuracy = {1, 0};

}  // namespace

void add_accuracy(Series& series, double x, const Estimate& accuracy) {
  series.x.push_back(x);
  series.y.push_back(accuracy.mean);
  series.low.push_back(std::max(0.0, accuracy.low()));
  series.high.push_back(std::min(1.0, accuracy.high()));
}

LinePlot accuracy_plot(const Runs& runs, Arms arms, const std::vector<double>& budgets) {
  LinePlot plot;
  plot.title = fmt::format("Accuracy against compute: {}", runs[0].at("task").get<std::string>());
  plot.subtitle =
      runs.size() == 1
          ? "test accuracy, one seed"
          : fmt::format("test accuracy, mean and 95 % interval over {} seeds", runs.size());
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
