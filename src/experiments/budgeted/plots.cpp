#include "experiments/budgeted/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "experiments/budgeted/summary.h"
#include "experiments/summary/arm_plots.h"
#include "report/plot/heat_map.h"
#include "report/plot/line_plot.h"

namespace headroom::experiments::budgeted {

std::vector<Arm> hard_arms(Arms arms) {
  std::vector<Arm> hard;
  std::copy_if(arms.begin(), arms.end(), std::back_inserter(hard),
               [](const Arm& arm) { return !std::string_view(arm.key).starts_with("soft"); });
  return hard;
}

std::string accuracy_plot(const Runs& runs, const std::vector<double>& budgets, bool close) {
  const std::vector<Arm> hard = hard_arms(arms());
  const auto ours = std::find_if(hard.begin(), hard.end(), [](const Arm& arm) {
    return std::string_view(arm.key) == "budgeted";
  });
  LinePlot plot = experiments::accuracy_plot(runs, hard, budgets);
  plot.subtitle += "; equal steps for every arm";
  if (close && ours != hard.end()) {
    const double lowest = range_of(plot, ours->title).low;
    const double highest = range_of(plot).high;
    const double margin = std::max(0.001, 0.4 * (highest - lowest));
    plot.y_range = ValueRange{lowest - margin, highest + margin};
  }
  return draw(plot);
}

std::string gate_plot(const Record& run) {
  const GateParameters gates = gates_of(run, "budgeted");
  HeatMapPanels figure;
  figure.title = "Gates g(b) per layer and head";
  figure.subtitle = fmt::format("{}, seed {}, after the hard stage", run.task, run.seed);
  figure.bar_label = "gate";
  for (const double budget : {0.25, 0.5, 0.75}) {
    HeatMap map;
    map.title = fmt::format("b = {}", budget);
    map.x_label = "head";
    map.y_label = "layer";
    const std::vector<double> values = gates.values(budget);
    for (int64_t layer = 0; layer < gates.layers; ++layer) {
      map.row_labels.push_back(fmt::format("{}", layer + 1));
      const auto begin = values.begin() + layer * gates.heads;
      map.values.emplace_back(begin, begin + gates.heads);
    }
    for (int64_t head = 0; head < gates.heads; ++head)
      map.column_labels.push_back(fmt::format("{}", head + 1));
    figure.panels.push_back(map);
  }
  return draw(figure);
}

std::string mass_plot(const Runs& runs) {
  LinePlot plot;
  plot.title = "Does the gate mass follow the request?";
  plot.subtitle = fmt::format("{}, after the soft stage", runs[0].task);
  plot.x_label = "requested budget b";
  plot.y_label = "mass(b), the mean gate";
  plot.references.push_back({ReferenceKind::diagonal, 0, "mass(b) = b"});
  for (const Record& run : runs) {
    const ArmRecord* soft = run.find("soft");
    if (soft == nullptr || soft->mass.empty()) continue;
    Series series;
    series.name = fmt::format("seed {}", run.seed);
    for (const MassPoint& point : soft->mass) {
      series.x.push_back(point.budget);
      series.y.push_back(point.mass);
    }
    plot.series.push_back(series);
  }
  return plot.series.empty() ? "" : draw(plot);
}

}  // namespace headroom::experiments::budgeted
