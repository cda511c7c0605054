// A small figure a task of what bench-fine-tunings stored: its score over the budget, with 95 %
// intervals over seeds.
//   bench-fine-tuning-curves OUT NAME.json...
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files/file.h"
#include "base/json.h"
#include "bench_program.h"
#include "report/plot/line_plot.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

// One figure: the arms that were fine-tuned on a set.
struct TaskCurves {
  std::string task, set, score;
  std::map<std::string, report::Series> arms;
  std::map<std::string, double> given;  // what the order of the rows is worth without a model
};

bool is_headline(const std::string& score) {
  constexpr std::string_view headlines[] = {"accuracy", "f1", "spearman", "ndcg"};
  return std::find(std::begin(headlines), std::end(headlines), score) != std::end(headlines);
}

report::Series series_of(const Json& summary) {
  report::Series series;
  series.name = summary.at("base").get<std::string>();
  for (const Json& at : summary.at("budgets")) {
    if (at.at("seeds") == 0) continue;  // not measured at this budget
    const double mean = at.at("mean").get<double>();
    const double reach = at.at("half_width").get<double>();
    series.x.push_back(at.at("budget").get<double>());
    series.y.push_back(mean);
    series.low.push_back(mean - reach);
    series.high.push_back(mean + reach);
  }
  return series;
}

// Of an arm that several files have the last counts.
void add_file(const fs::path& path, std::map<std::string, TaskCurves>& tasks) {
  const Json stored =
      parse_json(read_file(path, ErrorCode::bad_data, 1 << 26), ErrorCode::bad_data, path.string());
  for (const Json& summary : stored.at("summary")) {
    const auto text = [&](const char* key) { return summary.at(key).get<std::string>(); };
    TaskCurves& curves = tasks[text("task") + "-" + text("set")];
    curves.task = text("task");
    curves.set = text("set");
    const std::string score = text("score");
    if (is_headline(score)) {
      curves.score = score;
      curves.arms[text("base")] = series_of(summary);
    } else if (score.ends_with("_before")) {
      curves.given[score] = summary.at("budgets").at(0).at("mean").get<double>();
    }
  }
}

std::string draw_curves(const TaskCurves& curves) {
  report::LinePlot plot;
  plot.title = fmt::format("{}: {} over the budget", curves.set, curves.score);
  plot.subtitle = fmt::format(
      "task {}, test rows; 95 % intervals over seeds where there are several", curves.task);
  plot.x_label = "budget";
  plot.y_label = curves.score;
  plot.legend_below = true;
  for (const auto& [name, series] : curves.arms) plot.series.push_back(series);
  const auto given = curves.given.find(curves.score + "_before");
  if (given != curves.given.end()) {
    plot.references.push_back(
        {report::ReferenceKind::horizontal, given->second, "BM25, whose first rows are ranked"});
  }
  return draw(plot);
}

int run_curves(const fs::path& out, const std::vector<std::string>& files) {
  std::map<std::string, TaskCurves> tasks;
  for (const std::string& file : files) add_file(file, tasks);
  fs::create_directories(out);
  for (const auto& [name, curves] : tasks) {
    if (curves.arms.empty()) continue;
    const fs::path path = out / (name + ".svg");
    write_file_atomically(path, draw_curves(curves));
    fmt::print("{}\n", path.string());
  }
  return 0;
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  std::string out;
  std::vector<std::string> files;
  CLI::App app("A figure a task of what bench-fine-tunings stored.", "bench-fine-tuning-curves");
  app.add_option("OUT", out, "a folder for the figures")->required();
  app.add_option("JSON", files, "results of bench-fine-tunings")->required();
  CLI11_PARSE(app, argc, argv);
  return headroom::run_program("bench-fine-tuning-curves",
                               [&] { return headroom::run_curves(out, files); });
}
