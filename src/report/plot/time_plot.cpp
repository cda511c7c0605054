#include "report/plot/time_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace headroom::report {
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

}  // namespace headroom::report
