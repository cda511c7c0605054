#include "report/alive_map.h"

#include <fmt/format.h>

#include "report/heat_map.h"
#include "report/runs.h"

namespace headroom {
namespace {

HeatMap panel(const std::string& title, const std::string& unit,
              const std::vector<std::vector<double>>& values) {
  HeatMap map;
  map.title = title;
  map.x_label = unit;
  map.y_label = "layer";
  map.values = values;
  for (size_t layer = 0; layer < values.size(); ++layer) {
    map.row_labels.push_back(fmt::format("{}", layer + 1));
  }
  for (size_t i = 0; i < values.front().size(); ++i) {
    map.column_labels.push_back(fmt::format("{}", i + 1));
  }
  return map;
}

}  // namespace

AliveBudgets alive_budgets(const UnitOrder& order, const ModelShape& shape) {
  const auto layers = static_cast<size_t>(order.layers);
  const auto empty_map = [&](int64_t columns) {
    return std::vector(layers, std::vector<double>(static_cast<size_t>(columns)));
  };
  AliveBudgets alive{empty_map(order.heads), empty_map(order.groups)};
  // Downwards, so that the last budget written is the smallest.
  for (int percent = 100; percent >= 1; --percent) {
    const Selection selection = select_units(order, shape, percent / 100.0);
    const double budget = percent == 1 ? 0 : percent / 100.0;
    for (size_t layer = 0; layer < layers; ++layer) {
      for (size_t i = 0; i < selection.kept[layer].size(); ++i) alive.heads[layer][i] = budget;
      for (size_t i = 0; i < alive.groups[layer].size(); ++i) {
        const int64_t first = static_cast<int64_t>(i) * order.group_width;
        if (first < selection.ffn[layer]) alive.groups[layer][i] = budget;
      }
    }
  }
  return alive;
}

std::string alive_map(const Json& run, const std::string& arm) {
  const Json& arms = run.at("arms");
  if (!arms.contains(arm) || !arms.at(arm).contains("order")) return "";
  const UnitOrder order = order_of_run(run, arm);
  const AliveBudgets alive = alive_budgets(order, shape_of_run(run));
  HeatMapPanels figure;
  figure.title = "What comes alive when";
  figure.subtitle = fmt::format(
      "{}, {}, seed {}: the smallest budget at which a unit is on, 0 for always; a layer's most "
      "important units on the left",
      run.at("task").get<std::string>(), arm, run.at("seed").get<uint64_t>());
  figure.bar_label = "budget";
  figure.panels.push_back(panel("attention heads", "head", alive.heads));
  if (order.groups > 0) {
    figure.panels.push_back(panel(fmt::format("FFN, in groups of {} neurons", order.group_width),
                                  "group", alive.groups));
  }
  return draw(figure);
}

}  // namespace headroom
