#include "report/nested_plots.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/accuracy_plot.h"
#include "report/line_plot.h"

namespace headroom {
namespace {

constexpr double least_reach = 0.02;  // below ours; two points are far more than noise

// Cuts off what lies further below ours than ours lies below the best.
void frame_on(LinePlot& plot, const ValueRange& ours) {
  const ValueRange all = range_of(plot);
  double bottom = ours.low;
  double top = all.high;
  for (const ReferenceLine& line : plot.references) {
    bottom = std::min(bottom, line.value);
    top = std::max(top, line.value);
  }
  bottom -= std::max(least_reach, all.high - ours.low);
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

// Every arm comes close to dense at full budget, and there hides its point.
void add_dense_level(LinePlot& plot, const Runs& runs) {
  const Estimate accuracy = estimate(values_of(runs, "dense", 1.0, "accuracy"));
  if (accuracy.count == 0) return;
  plot.references.push_back({ReferenceKind::horizontal, accuracy.mean, "level of dense"});
}

// The cells of one text of the longest length that was timed.
std::vector<Json> single_text_cells(const Json& timing) {
  std::vector<Json> cells;
  if (!timing.contains("cells")) return cells;
  int64_t longest = 0;
  for (const Json& cell : timing.at("cells")) {
    if (cell.at("batch").get<int64_t>() != 1) continue;
    const int64_t tokens = cell.at("tokens").get<int64_t>();
    if (tokens > longest) cells.clear();
    longest = std::max(longest, tokens);
    if (tokens == longest) cells.push_back(cell);
  }
  return cells;
}

}  // namespace

std::string nested_accuracy_plot(const Runs& runs, const Arm& ours, Arms arms,
                                 const std::vector<double>& budgets) {
  LinePlot plot = accuracy_plot(runs, arms, budgets);
  if (plot.series.empty()) return "";
  add_dense_level(plot, runs);
  add_fasttext(plot, runs);
  const ValueRange range = range_of(plot, ours.title);
  if (range.low <= range.high) frame_on(plot, range);
  return draw(plot);
}

std::string nested_time_plot(const Runs& runs, const Arm& ours, const Json& timing) {
  const std::vector<Json> cells = single_text_cells(timing);
  Series curve;
  curve.name = ours.title;
  for (const Json& cell : cells) {
    const double budget = cell.at("budget").get<double>();
    const Estimate accuracy = estimate(values_of(runs, ours.key, budget, "accuracy"));
    if (accuracy.count > 0) add_accuracy(curve, cell.at("median_ms").get<double>(), accuracy);
  }
  if (curve.x.empty()) return "";
  LinePlot plot;
  plot.title = fmt::format("Accuracy against time: {}", runs[0].at("task").get<std::string>());
  plot.subtitle = fmt::format(
      "one text of {} tokens on {}, threads: {}; accuracy over {} {}", cells[0].at("tokens").dump(),
      timing.at("machine").at("cpu").get<std::string>(), timing.at("threads").dump(), runs.size(),
      runs.size() == 1 ? "seed" : "seeds with 95 % intervals");
  plot.x_label = "median milliseconds";
  plot.y_label = "accuracy";
  plot.y_format = ValueFormat::percent;
  plot.series.push_back(curve);
  const Estimate dense = estimate(values_of(runs, "dense", 1.0, "accuracy"));
  if (dense.count > 0) {
    Series point;
    point.name = "dense";
    // Every cell was timed in turns with the dense model.
    const Json& cell = cells.back();
    add_accuracy(point, cell.at("median_ms").get<double>() * cell.at("speedup").get<double>(),
                 dense);
    plot.series.push_back(point);
  }
  add_fasttext(plot, runs);
  return draw(plot);
}

}  // namespace headroom
