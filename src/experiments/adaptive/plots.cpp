#include "experiments/adaptive/plots.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "base/error.h"
#include "experiments/adaptive/findings.h"
#include "report/plot/heat_map.h"
#include "report/plot/line_plot.h"

namespace headroom::experiments::adaptive {
namespace {

// An arm's field over its validations, mean and interval over the seeds at each step.
Series curve_series(const Runs& runs, const std::string& arm, const std::string& field,
                    const std::string& name) {
  std::map<int64_t, std::vector<double>> at_step;
  for (const Record& run : runs) {
    const ArmRecord* found = run.find(arm);
    if (found == nullptr) continue;
    for (const CurvePoint& point : found->curve) {
      if (const std::optional<double> value = point.mean(field)) {
        at_step[point.step].push_back(*value);
      }
    }
  }
  Series series;
  series.name = name;
  for (const auto& [step, values] : at_step) {
    const Estimate value = estimate(values);
    series.x.push_back(static_cast<double>(step));
    series.y.push_back(value.mean);
    series.low.push_back(value.low());
    series.high.push_back(value.high());
  }
  return series;
}

std::string draw_curves(const Runs& runs, const std::string& title, const std::string& y_label,
                        const std::vector<Series>& all) {
  LinePlot plot;
  plot.title = fmt::format("{}: {}", title, runs[0].task);
  plot.subtitle = fmt::format("mean over blocks and {} seeds, 95 % intervals", runs.size());
  plot.x_label = "steps";
  plot.y_label = y_label;
  plot.intervals = IntervalStyle::band;
  for (const Series& series : all) {
    if (!series.x.empty()) plot.series.push_back(series);
  }
  return plot.series.empty() ? "" : draw(plot);
}

std::vector<std::string> block_names(size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) names.push_back(fmt::format("block {}", i + 1));
  return names;
}

HeatMap attention_panel(const std::vector<std::string>& tokens, const HeadMap& head,
                        const std::string& title) {
  HeatMap map;
  map.title = title;
  const size_t T = tokens.size();
  map.row_labels = tokens;
  map.column_labels = tokens;
  if (head.shares.size() != T * T) {
    throw Error(ErrorCode::bad_data, "draw attention maps", "shares are not tokens x tokens");
  }
  for (size_t row = 0; row < T; ++row) {
    map.values.emplace_back(head.shares.begin() + static_cast<ptrdiff_t>(row * T),
                            head.shares.begin() + static_cast<ptrdiff_t>((row + 1) * T));
  }
  return map;
}

}  // namespace

std::string share_curve_plot(const Runs& runs) {
  return draw_curves(runs, "Share of heads while training", "s, accuracy",
                     {curve_series(runs, "adaptive", "s_mean_train", "s, training rows"),
                      curve_series(runs, "adaptive", "s_mean", "s, validation rows"),
                      curve_series(runs, "adaptive", "active_heads", "whole heads, validation"),
                      curve_series(runs, "adaptive", "validation", "validation accuracy")});
}

std::string entropy_curve_plot(const Runs& runs) {
  return draw_curves(
      runs, "Entropy of head relevance", "nats",
      {curve_series(runs, "adaptive", "q_entropy", "q, tau from 2 to 0.5"),
       curve_series(runs, "adaptive", "z_entropy", "the same scores at tau = 1"),
       curve_series(runs, "constant-tau", "q_entropy", "trained at tau = 1, no entropy term")});
}

std::string class_map(const Runs& runs, const std::string& arm) {
  const ArmRecord* found = runs[0].find(arm);
  if (found == nullptr || !found->by_class) return "";
  HeatMapPanels figure;
  figure.title = fmt::format("Share of heads by block and class: {}", runs[0].task);
  figure.subtitle = fmt::format("s on test rows, seed {}", runs[0].seed);
  figure.bar_label = "s";
  for (const auto& [values, title] : {std::pair{&found->by_class->mean, "mean"},
                                      {&found->by_class->deviation, "standard deviation"}}) {
    HeatMap map;
    map.title = title;
    map.values = *values;
    map.row_labels = block_names(map.values.size());
    map.column_labels = runs[0].labels;
    figure.panels.push_back(map);
  }
  return draw(figure);
}

std::string difficulty_plot(const Runs& runs, const std::string& arm) {
  Series share;
  share.name = "s";
  for (size_t third = 0; third < 3; ++third) {
    const Estimate value = estimate(third_shares(runs, arm, third));
    if (value.count == 0) return "";
    share.x.push_back(static_cast<double>(third + 1));
    share.y.push_back(value.mean);
    share.low.push_back(value.low());
    share.high.push_back(value.high());
  }
  LinePlot plot;
  plot.title = fmt::format("Share of heads by difficulty: {}", runs[0].task);
  plot.subtitle = fmt::format(
      "thirds of test rows by a dense model's loss, easiest first; {} seeds", runs.size());
  plot.x_label = "third";
  plot.x_format = ValueFormat::whole;
  plot.y_label = "s";
  plot.series.push_back(share);
  return draw(plot);
}

std::string attention_map_figure(const Runs& runs) {
  const ArmRecord* found = runs[0].find("adaptive");
  if (found == nullptr || !found->maps) return "";
  HeatMapPanels figure;
  figure.title = "Attention of one text";
  figure.subtitle = "a row per reading token; the most and the least relevant head of each block";
  figure.bar_label = "attention";
  size_t block = 0;
  for (const LayerMaps& layer : found->maps->layers) {
    ++block;
    if (layer.heads.empty()) continue;
    for (const HeadMap* head : {&layer.heads.front(), &layer.heads.back()}) {
      figure.panels.push_back(
          attention_panel(found->maps->tokens, *head,
                          fmt::format("block {}, head {}, q {:.2f}{}", block, head->head, head->q,
                                      head->chosen ? "" : ", off")));
    }
  }
  return draw(figure);
}

}  // namespace headroom::experiments::adaptive
