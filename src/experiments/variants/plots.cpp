#include "experiments/variants/plots.h"

#include <fmt/format.h>

#include <map>

#include "budget/cost.h"
#include "report/plot/line_plot.h"

namespace headroom::experiments::variants {
namespace {

constexpr AttentionKind cheaper_kinds[] = {AttentionKind::optimized, AttentionKind::efficient,
                                           AttentionKind::super};
constexpr int64_t plotted_width = 128;  // ratios depend on tokens over width alone

double layer_macs(AttentionKind kind, int64_t tokens) {
  ModelShape shape;
  shape.layers = 1;
  shape.width = plotted_width;
  shape.attention = kind;
  return cost_of(shape, all_heads(1, shape.heads), tokens).attention_macs;
}

LinePlot ratio_plot(const std::string& title, const std::string& subtitle) {
  LinePlot plot;
  plot.title = title;
  plot.subtitle = subtitle;
  plot.x_label = "tokens over width, n / d";
  plot.y_label = "over standard attention";
  plot.references = {{ReferenceKind::horizontal, 1.0, "standard"},
                     {ReferenceKind::vertical, 1.0, "n = d: super costs what optimized does"},
                     {ReferenceKind::vertical, 2.0, "n = 2d: super costs what standard does"}};
  return plot;
}

}  // namespace

std::string score_plot(const Runs& runs, Arms arms, const Measure& measure) {
  LinePlot plot;
  plot.title = fmt::format("{} by kind of attention: {}", measure.title, runs[0].task);
  plot.subtitle =
      runs.size() == 1 ? "one seed" : fmt::format("{} seeds with 95 % intervals", runs.size());
  plot.x_label = "attention parameters, thousands";
  plot.y_label = measure.title;
  for (const Arm& arm : arms) {
    const Estimate score = estimate(values_of(runs, arm.key, 1.0, measure.field));
    const Estimate size = estimate(values_of(runs, arm.key, 1.0, &Point::attention_parameters));
    if (score.count == 0 || size.count == 0) continue;
    Series series;
    series.name = arm.title;
    series.points_only = true;
    series.x = {size.mean / 1000};
    series.y = {measure.scale * score.mean};
    series.low = {measure.scale * score.low()};
    series.high = {measure.scale * score.high()};
    plot.series.push_back(series);
  }
  return plot.series.empty() ? "" : draw(plot);
}

std::string macs_plot() {
  LinePlot plot = ratio_plot("Attention MACs of one layer", "from the formulas");
  for (const AttentionKind kind : cheaper_kinds) {
    Series series;
    series.name = std::string(attention_name(kind));
    for (int64_t tokens = plotted_width / 8; tokens <= 4 * plotted_width;
         tokens += plotted_width / 8) {
      series.x.push_back(static_cast<double>(tokens) / plotted_width);
      series.y.push_back(layer_macs(kind, tokens) / layer_macs(AttentionKind::standard, tokens));
    }
    plot.series.push_back(series);
  }
  return draw(plot);
}

std::string latency_plot(const Json& timing) {
  if (!timing.contains("cells") || timing.at("cells").empty()) return "";
  LinePlot plot = ratio_plot("Measured time of one attention layer",
                             fmt::format("one thread, medians of same-round ratios, {}",
                                         timing.at("machine").at("cpu").get<std::string>()));
  std::map<std::string, Series> curves;
  for (const Json& cell : timing.at("cells")) {
    const std::string kind = cell.at("attention").get<std::string>();
    if (kind == attention_name(AttentionKind::standard)) continue;
    const auto width = cell.at("width").get<double>();
    Series& series = curves[fmt::format("{}, d = {}", kind, width)];
    series.x.push_back(cell.at("tokens").get<double>() / width);
    series.y.push_back(cell.at("over_standard").get<double>());
  }
  for (auto& [name, series] : curves) {
    series.name = name;
    plot.series.push_back(series);
  }
  return draw(plot);
}

}  // namespace headroom::experiments::variants
