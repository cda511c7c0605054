#include "report/plot/time_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "report/plot/accuracy_plot.h"

namespace headroom {
namespace {

// Selections of equal size cost the same MACs but for the lengths of the rows they were scored on.
constexpr double same_cost = 0.01;

bool costs_as_much(const Runs& runs, const Arm& arm, const Arm& ours, double budget) {
  const Estimate theirs = estimate(values_of(runs, arm.key, budget, "macs_fraction"));
  const Estimate timed = estimate(values_of(runs, ours.key, budget, "macs_fraction"));
  return theirs.count > 0 && timed.count > 0 && std::abs(theirs.mean - timed.mean) < same_cost;
}

Series times_of(const Runs& runs, const Arm& arm, const Arm& ours, const std::vector<Json>& cells) {
  Series series;
  series.name = arm.title;
  for (const Json& cell : cells) {
    const double budget = cell.at("budget").get<double>();
    const Estimate accuracy = estimate(values_of(runs, arm.key, budget, "accuracy"));
    if (accuracy.count == 0 || !costs_as_much(runs, arm, ours, budget)) continue;
    add_accuracy(series, cell.at("median_ms").get<double>(), accuracy);
  }
  return series;
}

}  // namespace

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

std::string describe_timing(const Json& timing) {
  const std::vector<Json> cells = single_text_cells(timing);
  if (cells.empty()) return "";
  const std::string engine = cells[0].value("engine", "");
  return fmt::format("one text of {} tokens{} on {}, threads: {}", cells[0].at("tokens").dump(),
                     engine.empty() ? "" : fmt::format(", {} engine", engine),
                     timing.at("machine").at("cpu").get<std::string>(),
                     timing.at("threads").dump());
}

LinePlot accuracy_time_plot(const Runs& runs, const Arm& ours, Arms arms, const Json& timing) {
  const std::vector<Json> cells = single_text_cells(timing);
  LinePlot plot;
  if (times_of(runs, ours, ours, cells).x.empty()) return plot;
  plot.title = fmt::format("Accuracy against time: {}", runs[0].at("task").get<std::string>());
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

LinePlot speedup_plot(const Json& timing) {
  LinePlot plot;
  if (!timing.contains("cells")) return plot;
  std::map<int64_t, Series> caps;                          // by tokens
  std::map<std::pair<int64_t, int64_t>, Series> measured;  // by tokens and batch
  const auto add = [](Series& series, const Json& cell, const char* key) {
    series.x.push_back(cell.at("budget").get<double>());
    series.y.push_back(cell.at(key).get<double>());
  };
  for (const Json& cell : timing.at("cells")) {
    const auto tokens = cell.at("tokens").get<int64_t>();
    const auto batch = cell.at("batch").get<int64_t>();
    Series& cap = caps[tokens];
    cap.name = fmt::format("the cap at {} tokens", tokens);
    const double budget = cell.at("budget").get<double>();
    const bool known = std::find(cap.x.begin(), cap.x.end(), budget) != cap.x.end();
    if (!known) add(cap, cell, "speedup_cap");
    Series& series = measured[{tokens, batch}];
    series.name = fmt::format("measured, {} tokens, batch {}", tokens, batch);
    add(series, cell, "speedup");
  }
  plot.title = "Speed-up beside its cap";
  plot.subtitle = "the cap is Amdahl's: dense MACs over this budget's MACs, if time followed MACs";
  plot.x_label = "budget";
  plot.y_label = "speed-up over budget 1";
  plot.y_format = ValueFormat::speed_up;
  for (auto& [tokens, series] : caps) plot.series.push_back(std::move(series));
  for (auto& [cell, series] : measured) plot.series.push_back(std::move(series));
  return plot;
}

Table timing_table(const Json& timing) {
  Table table{{"tokens", "batch", "budget", "median ms", "speed-up", "cap", "of the cap"}, {}};
  for (const Json& cell : timing.value("cells", Json::array())) {
    const double speedup = cell.at("speedup").get<double>();
    const double cap = cell.at("speedup_cap").get<double>();
    table.rows.push_back({fmt::format("{}", cell.at("tokens").get<int64_t>()),
                          fmt::format("{}", cell.at("batch").get<int64_t>()),
                          fmt::format("{}", cell.at("budget").get<double>()),
                          fmt::format("{:.2f}", cell.at("median_ms").get<double>()),
                          fmt::format("{:.2f}x", speedup), fmt::format("{:.2f}x", cap),
                          fmt::format("{:.0f} %", 100 * speedup / cap)});
  }
  return table;
}

}  // namespace headroom
