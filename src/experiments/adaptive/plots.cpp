#include "experiments/adaptive/plots.h"

#include <fmt/format.h>

#include <map>

#include "experiments/adaptive/findings.h"
#include "report/plot/accuracy_plot.h"
#include "report/plot/heat_map.h"
#include "report/plot/line_plot.h"

namespace headroom {
namespace {

// The mean of the fields of a line that are called `field`, or `field`@0, `field`@1, ...
std::vector<double> field_of(const Json& line, const std::string& field) {
  if (line.contains(field)) return {line.at(field).get<double>()};
  std::vector<double> layers;
  while (line.contains(fmt::format("{}@{}", field, layers.size()))) {
    layers.push_back(line.at(fmt::format("{}@{}", field, layers.size())).get<double>());
  }
  return layers;
}

// An arm's field over its validations, mean and interval over the seeds at each step.
Series curve_series(const Runs& runs, const std::string& arm, const std::string& field,
                    const std::string& name) {
  std::map<int64_t, std::vector<double>> at_step;
  for (const Json& run : runs) {
    const Json::json_pointer place(fmt::format("/arms/{}/curve", arm));
    if (!run.contains(place)) continue;
    for (const Json& line : run.at(place)) {
      const std::vector<double> values = field_of(line, field);
      if (values.empty()) continue;
      at_step[line.at("step").get<int64_t>()].push_back(estimate(values).mean);
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
  plot.title = fmt::format("{}: {}", title, runs[0].at("task").get<std::string>());
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

HeatMap attention_panel(const Json& tokens, const Json& head, const std::string& title) {
  HeatMap map;
  map.title = title;
  const size_t T = tokens.size();
  for (const Json& token : tokens) {
    map.row_labels.push_back(token.get<std::string>());
    map.column_labels.push_back(token.get<std::string>());
  }
  const auto shares = head.at("shares").get<std::vector<double>>();
  for (size_t row = 0; row < T; ++row) {
    map.values.emplace_back(shares.begin() + static_cast<ptrdiff_t>(row * T),
                            shares.begin() + static_cast<ptrdiff_t>((row + 1) * T));
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
  const Json::json_pointer place(fmt::format("/arms/{}/by_class", arm));
  if (!runs[0].contains(place)) return "";
  HeatMapPanels figure;
  figure.title =
      fmt::format("Share of heads by block and class: {}", runs[0].at("task").get<std::string>());
  figure.subtitle = fmt::format("s on test rows, seed {}", runs[0].at("seed").dump());
  figure.bar_label = "s";
  for (const auto& [key, title] :
       {std::pair{"mean", "mean"}, {"deviation", "standard deviation"}}) {
    HeatMap map;
    map.title = title;
    map.values = runs[0].at(place).at(key).get<std::vector<std::vector<double>>>();
    map.row_labels = block_names(map.values.size());
    map.column_labels = runs[0].at("labels").get<std::vector<std::string>>();
    figure.panels.push_back(map);
  }
  return draw(figure);
}

std::string difficulty_plot(const Runs& runs, const std::string& arm) {
  Series share;
  share.name = "s";
  for (int third = 0; third < 3; ++third) {
    const Estimate value =
        estimate(at_path(runs, arm, fmt::format("/difficulty/thirds/{}/s_mean", third)));
    if (value.count == 0) return "";
    share.x.push_back(third + 1);
    share.y.push_back(value.mean);
    share.low.push_back(value.low());
    share.high.push_back(value.high());
  }
  LinePlot plot;
  plot.title =
      fmt::format("Share of heads by difficulty: {}", runs[0].at("task").get<std::string>());
  plot.subtitle = fmt::format(
      "thirds of test rows by a dense model's loss, easiest first; {} seeds", runs.size());
  plot.x_label = "third";
  plot.x_format = ValueFormat::whole;
  plot.y_label = "s";
  plot.series.push_back(share);
  return draw(plot);
}

std::string attention_map_figure(const Runs& runs) {
  const Json::json_pointer place("/arms/adaptive/maps");
  if (!runs[0].contains(place)) return "";
  const Json& maps = runs[0].at(place);
  HeatMapPanels figure;
  figure.title = "Attention of one text";
  figure.subtitle = "a row per reading token; the most and the least relevant head of each block";
  figure.bar_label = "attention";
  size_t block = 0;
  for (const Json& layer : maps.at("layers")) {
    ++block;
    const Json& heads = layer.at("heads");
    for (const Json* head : {&heads.front(), &heads.back()}) {
      figure.panels.push_back(attention_panel(
          maps.at("tokens"), *head,
          fmt::format("block {}, head {}, q {:.2f}{}", block, head->at("head").dump(),
                      head->at("q").get<double>(), head->at("chosen").get<bool>() ? "" : ", off")));
    }
  }
  return draw(figure);
}

}  // namespace headroom
