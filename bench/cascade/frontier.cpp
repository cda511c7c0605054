#include "cascade/frontier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/plot/line_plot.h"

namespace headroom {

std::string set_title(const std::string& data) {
  static const std::map<std::string, std::string> titles = {{"agnews", "AG News"},
                                                            {"banking77", "Banking77"},
                                                            {"imdb", "IMDB"},
                                                            {"dbpedia", "DBpedia"},
                                                            {"newsgroups20", "20 Newsgroups"}};
  const auto known = titles.find(data);
  return known == titles.end() ? data : known->second;
}

std::string draw_frontier(const RunGroup& group) {
  report::LinePlot plot;
  plot.title = "Accuracy against time, " + set_title(group.data);
  plot.subtitle = fmt::format("{}, one core of {}", group.base, group.cpu);
  plot.x_label = "microseconds a text, one text at a time";
  plot.x_format = report::ValueFormat::exponent;
  plot.y_label = "accuracy";
  plot.y_format = report::ValueFormat::percent;
  plot.legend_below = true;
  std::vector<std::string> names;
  for (const char* first : {"flat", "auto", "auto without rung zero"}) names.emplace_back(first);
  for (const ArmSummary& arm : group.arms) {
    const std::string& name = arm.kind == "peer" ? arm.name : arm.kind;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  for (const std::string& name : names) {
    report::Series series{name == "flat" ? "flat budgets" : name, {}, {}, {}, {}};
    series.points_only = true;
    for (const ArmSummary& arm : group.arms) {
      if ((arm.kind == "peer" ? arm.name : arm.kind) != name) continue;
      series.points_only = arm.kind == "peer";
      series.x.push_back(std::log10(arm.us_per_text[0].mean));
      series.y.push_back(arm.accuracy.mean);
      series.low.push_back(arm.accuracy.low());
      series.high.push_back(arm.accuracy.high());
    }
    if (!series.x.empty()) plot.series.push_back(std::move(series));
  }
  return report::draw(plot);
}

}  // namespace headroom
