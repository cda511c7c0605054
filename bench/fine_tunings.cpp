// Tables of what scripts/fine-tune left in a folder: test scores at each budget, their means and
// intervals over seeds. Writes NAME.json and NAME.md into a folder.
//   bench-fine-tunings FOLDER OUT NAME
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/files/file.h"
#include "base/join.h"
#include "base/json.h"
#include "base/measure/machine.h"
#include "base/table.h"
#include "bench_program.h"
#include "report/statistics.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

struct FineTuningOptions {
  std::string folder;
  std::string out;
  std::string name;
  std::string commit = "unknown";
  std::string device = "unknown";
};

// A run, from the name of its file: BASE-SET-TASK-seedN.
struct Run {
  std::string base, set, task;
  int seed = 0;
  std::string recipe;
  std::vector<Json> budgets;  // a line each, as `train --json` wrote it
};

// The scores that a task is judged by, the first one first.
const std::map<std::string, std::vector<std::string>> scores_of_task = {
    {"classify", {"accuracy"}},
    {"pair", {"accuracy"}},
    {"tag", {"f1"}},
    {"multilabel", {"f1", "f1_micro", "precision", "recall"}},
    {"regress", {"spearman", "rmse"}},
    {"rerank", {"ndcg", "mrr", "ndcg_before", "mrr_before", "rank_correlation"}},
    {"embed", {"spearman"}},
};

std::vector<std::string> lines_of(const fs::path& path) {
  std::istringstream stream(read_file(path, ErrorCode::bad_data, 1 << 26));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Run read_run(const fs::path& path) {
  std::string name = path.stem().string();
  const auto last_part = [&] {
    const size_t dash = name.rfind('-');
    if (dash == std::string::npos) {
      throw Error(ErrorCode::bad_data, "read fine-tunings",
                  path.string() + ": expected BASE-SET-TASK-seedN.jsonl");
    }
    std::string part = name.substr(dash + 1);
    name.resize(dash);
    return part;
  };
  Run run;
  const std::string seed = last_part();
  const size_t digits = std::min<size_t>(4, seed.size());
  std::from_chars(seed.data() + digits, seed.data() + seed.size(), run.seed);
  run.task = last_part();
  run.set = last_part();
  run.base = name;
  for (const std::string& line : lines_of(path)) {
    run.budgets.push_back(parse_json(line, ErrorCode::bad_data, path.string()));
  }
  // The second line of the log says what training chose.
  const std::vector<std::string> log = lines_of(fs::path(path).replace_extension(".log"));
  if (log.size() > 1) run.recipe = log[1];
  return run;
}

std::vector<Run> read_runs(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".jsonl") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Run> runs;
  for (const fs::path& path : paths) runs.push_back(read_run(path));
  if (runs.empty()) {
    throw Error(ErrorCode::usage, "read fine-tunings",
                folder.string() + " has no .jsonl files; scripts/fine-tune makes them");
  }
  return runs;
}

// Runs that differ in their seed alone.
using Group = std::vector<const Run*>;

std::vector<std::string> scores_of(const Group& group) {
  const auto known = scores_of_task.find(group.front()->task);
  std::vector<std::string> names;
  if (known != scores_of_task.end()) names = known->second;
  // Vectors of fewer dimensions: spearman_96.
  for (const auto& [key, value] : group.front()->budgets.front().items()) {
    if (key.starts_with("spearman_")) names.push_back(key);
  }
  return names;
}

std::string shown(const report::Estimate& estimate) {
  return estimate.count < 2
             ? fmt::format("{:.2f}", 100 * estimate.mean)
             : fmt::format("{:.2f} ± {:.2f}", 100 * estimate.mean, 100 * estimate.half_width);
}

void add_rows(const Group& group, const std::vector<double>& budgets, Table& table,
              Json& summaries) {
  const Run& first = *group.front();
  for (const std::string& score : scores_of(group)) {
    std::vector<std::string> row = {first.base, first.set, first.task, score,
                                    std::to_string(group.size())};
    Json summary = {{"base", first.base},
                    {"set", first.set},
                    {"task", first.task},
                    {"score", score},
                    {"budgets", Json::array()}};
    for (const double budget : budgets) {
      std::vector<double> values;
      for (const Run* run : group) {
        for (const Json& line : run->budgets) {
          if (line.at("budget") == budget && line.contains(score)) {
            values.push_back(line.at(score).get<double>());
          }
        }
      }
      const report::Estimate estimate = report::estimate(values);
      row.push_back(values.empty() ? "" : shown(estimate));
      summary["budgets"].push_back({{"budget", budget},
                                    {"mean", estimate.mean},
                                    {"half_width", estimate.half_width},
                                    {"seeds", estimate.count}});
    }
    table.rows.push_back(std::move(row));
    summaries.push_back(std::move(summary));
  }
}

int run_tables(const FineTuningOptions& options) {
  const std::vector<Run> runs = read_runs(options.folder);
  std::map<std::string, Group> groups;
  std::set<double, std::greater<>> budgets;
  Json stored = Json::array();
  for (const Run& run : runs) {
    groups[fmt::format("{} {} {}", run.task, run.set, run.base)].push_back(&run);
    for (const Json& line : run.budgets) budgets.insert(line.at("budget").get<double>());
    stored.push_back({{"base", run.base},
                      {"set", run.set},
                      {"task", run.task},
                      {"seed", run.seed},
                      {"recipe", run.recipe},
                      {"budgets", run.budgets}});
  }
  const std::vector<double> columns(budgets.begin(), budgets.end());
  Table table = {{"base", "set", "task", "score", "seeds"}, {}};
  for (const double budget : columns) table.header.push_back(fmt::format("{:g}", budget));
  Json summaries = Json::array();
  for (const auto& [name, group] : groups) add_rows(group, columns, table, summaries);

  const fs::path out = options.out;
  write_file_atomically(out / (options.name + ".json"), Json{{"commit", options.commit},
                                                             {"date", today()},
                                                             {"device", options.device},
                                                             {"summary", summaries},
                                                             {"runs", stored}}
                                                                .dump(1) +
                                                            "\n");
  write_file_atomically(
      out / (options.name + ".md"),
      fmt::format("# Fine-tunings, measured\n\n"
                  "Test scores × 100 at each budget: means over seeds, ± half a 95 % interval "
                  "(Student's t). {}, {}, commit {}; every run is in [{}.json]({}.json).\n\n{}",
                  options.device, today(), options.commit, options.name, options.name,
                  markdown(table)));
  fmt::print("{}", aligned_text(table));
  return 0;
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  headroom::FineTuningOptions options;
  CLI::App app("Tables of what scripts/fine-tune left in a folder.", "bench-fine-tunings");
  app.add_option("FOLDER", options.folder)->required();
  app.add_option("OUT", options.out, "a folder")->required();
  app.add_option("NAME", options.name, "of the results: NAME.json, NAME.md")->required();
  app.add_option("--commit", options.commit, "told in the results");
  app.add_option("--device", options.device, "likewise: what trained them");
  CLI11_PARSE(app, argc, argv);
  return headroom::run_program("bench-fine-tunings", [&] { return headroom::run_tables(options); });
}
