#include "report/plot/alive_map.h"

#include <fmt/format.h>

#include "report/plot/heat_map.h"

namespace headroom::report {
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

AliveBudgets alive_budgets(const BudgetSelections& selections, const ModelShape& shape) {
  const auto layers = static_cast<size_t>(shape.layers);
  const auto empty_map = [&](int64_t columns) {
    return std::vector(layers, std::vector<double>(static_cast<size_t>(columns)));
  };
  const int64_t width = selections.group_width;
  AliveBudgets alive{empty_map(shape.heads), empty_map(width == 0 ? 0 : shape.ffn / width)};
  // Downwards, so that the last budget written is the smallest.
  for (int percent = 100; percent >= 1; --percent) {
    const Selection selection = selections.at(percent / 100.0);
    const double budget = percent == 1 ? 0 : percent / 100.0;
    for (size_t layer = 0; layer < layers; ++layer) {
      for (const int32_t head : selection.kept[layer]) {
        alive.heads[layer][static_cast<size_t>(head)] = budget;
      }
      for (size_t i = 0; i < alive.groups[layer].size(); ++i) {
        const int64_t first = static_cast<int64_t>(i) * width;
        const int64_t kept = selection.ffn_of(static_cast<int64_t>(layer), shape.ffn);
        if (first < kept) alive.groups[layer][i] = budget;
      }
    }
  }
  return alive;
}

BudgetSelections selections_of(const UnitOrder& order, const ModelShape& shape) {
  return {[order, shape](double budget) { return select_units(order, shape, budget); },
          order.group_width, shape.heads_can_move()};
}

AliveBudgets alive_budgets(const UnitOrder& order, const ModelShape& shape) {
  return alive_budgets(selections_of(order, shape), shape);
}

std::string alive_map(const BudgetSelections& selections, const ModelShape& shape,
                      const std::string& subject) {
  const AliveBudgets alive = alive_budgets(selections, shape);
  HeatMapPanels figure;
  figure.title = "What comes alive when";
  figure.subtitle =
      fmt::format("{}: the smallest budget at which a unit is on, 0 for always", subject);
  if (selections.by_importance) {
    figure.subtitle += "; a layer's most important units on the left";
  }
  figure.bar_label = "budget";
  figure.panels.push_back(panel("attention heads", "head", alive.heads));
  if (selections.group_width > 0) {
    figure.panels.push_back(
        panel(fmt::format("FFN, in groups of {} neurons", selections.group_width), "group",
              alive.groups));
  }
  return draw(figure);
}

}  // namespace headroom::report
