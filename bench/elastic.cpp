// What scripts/bench-elastic left in a folder, as a page: accuracy of models that were trained
// nested with labels, and of dense ones made elastic without. Writes elastic.json and elastic.md.
//   bench-elastic FOLDER OUT
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "base/error.h"
#include "base/files/file.h"
#include "base/json.h"
#include "base/measure/machine.h"
#include "base/table.h"
#include "bench_program.h"
#include "report/statistics.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

constexpr double allowed_loss = 0.003;
constexpr double least_budget = 0.25;  // that it is allowed at

struct ElasticPage {
  std::string folder;
  std::string out;
  std::string base = "unknown";
  std::string commit = "unknown";
  std::string device = "unknown";
};

// Values of one key by budget.
using Curve = std::map<double, double>;

Curve read_curve(const fs::path& file, const char* key) {
  std::istringstream lines(read_file(file, ErrorCode::bad_data, 1 << 20));
  Curve curve;
  for (std::string line; std::getline(lines, line);) {
    const Json json = parse_json(line, ErrorCode::bad_data, file.string());
    curve[json.at("budget").get<double>()] = json.at(key).get<double>();
  }
  return curve;
}

struct SeedRun {
  Curve labels, elastic, agreement;
  double dense = 0;
};

// By set, then by seed; runs of which a part is missing are left out.
std::map<std::string, std::map<std::string, SeedRun>> read_runs(const fs::path& folder) {
  std::map<std::string, std::map<std::string, SeedRun>> sets;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().stem().string();
    const std::string mark = "-elastic-seed";
    const size_t at = name.find(mark);
    if (entry.path().extension() != ".jsonl" || at == std::string::npos ||
        name.ends_with("-agreement")) {
      continue;
    }
    const std::string set = name.substr(0, at);
    const std::string seed = name.substr(at + mark.size());
    const auto file = [&](const std::string& arm, const std::string& end = "") {
      return folder / fmt::format("{}-{}-seed{}{}.jsonl", set, arm, seed, end);
    };
    sets[set][seed] = {read_curve(file("labels"), "accuracy"),
                       read_curve(file("elastic"), "accuracy"),
                       read_curve(file("elastic", "-agreement"), "agreement"),
                       read_curve(file("dense"), "accuracy").at(1.0)};
  }
  if (sets.empty()) {
    throw Error(ErrorCode::usage, "read runs",
                folder.string() + " has none; scripts/bench-elastic makes them");
  }
  return sets;
}

std::string percent(const std::vector<double>& values) {
  const report::Estimate found = report::estimate(values);
  return found.count < 2 ? fmt::format("{:.2f}", 100 * found.mean)
                         : fmt::format("{:.2f} ± {:.2f}", 100 * found.mean, 100 * found.half_width);
}

Json estimate_json(const std::vector<double>& values) {
  const report::Estimate found = report::estimate(values);
  return {{"mean", found.mean}, {"half_width", found.half_width}, {"seeds", values}};
}

struct SetPage {
  std::string markdown;
  Json json;
  double worst = 0;  // mean loss at a budget where it counts
};

SetPage set_page(const std::string& set, const std::map<std::string, SeedRun>& seeds) {
  Table table{{"budget", "with labels", "elastic", "difference", "agreement with dense"}, {}};
  SetPage page{"", {{"set", set}, {"budgets", Json::array()}}, -1};
  for (const auto& [budget, unused] : seeds.begin()->second.labels) {
    std::vector<double> labels;
    std::vector<double> elastic;
    std::vector<double> difference;
    std::vector<double> agreement;
    for (const auto& [seed, run] : seeds) {
      labels.push_back(run.labels.at(budget));
      elastic.push_back(run.elastic.at(budget));
      difference.push_back(elastic.back() - labels.back());
      agreement.push_back(run.agreement.at(budget));
    }
    if (budget >= least_budget) {
      page.worst = std::max(page.worst, -report::estimate(difference).mean);
    }
    table.rows.push_back({fmt::format("{:g}", budget), percent(labels), percent(elastic),
                          percent(difference), percent(agreement)});
    page.json["budgets"].push_back({{"budget", budget},
                                    {"labels", estimate_json(labels)},
                                    {"elastic", estimate_json(elastic)},
                                    {"difference", estimate_json(difference)},
                                    {"agreement", estimate_json(agreement)}});
  }
  std::vector<double> dense;
  for (const auto& [seed, run] : seeds) dense.push_back(run.dense);
  page.json["dense"] = estimate_json(dense);
  page.json["worst_loss"] = page.worst;
  page.markdown =
      fmt::format("## {}\n\nThe dense model has {}. {}\n{}\n", set, percent(dense),
                  page.worst <= allowed_loss
                      ? fmt::format("At no budget from {} on is the mean loss above {:.1f} points.",
                                    least_budget, 100 * allowed_loss)
                      : fmt::format("**The mean loss reaches {:.2f} points at budgets from {} on; "
                                    "{:.1f} were allowed.**",
                                    100 * page.worst, least_budget, 100 * allowed_loss),
                  "\n" + markdown(table));
  return page;
}

int write_page(const ElasticPage& options) {
  Json sets = Json::array();
  std::string text = fmt::format(
      "# Elastic without labels, measured\n\n"
      "Written by `scripts/bench-elastic`; [elastic.json](elastic.json) has every seed. {}, "
      "device {}, {}, commit {}. Test accuracy × 100, means over seeds ± half a 95 % interval "
      "(Student's t). *With labels*: `train --method nested`. *Elastic*: `train --method dense`, "
      "then `elastic` with the texts of the training rows and none of their labels. Differences "
      "are of the same seed. *Agreement with dense* is what `elastic` said itself, on texts held "
      "back.\n\n",
      options.base, options.device, today(), options.commit);
  for (const auto& [set, seeds] : read_runs(options.folder)) {
    const SetPage page = set_page(set, seeds);
    sets.push_back(page.json);
    text += page.markdown;
  }
  const fs::path out = options.out;
  write_file_atomically(out / "elastic.json", Json{{"base", options.base},
                                                   {"commit", options.commit},
                                                   {"date", today()},
                                                   {"device", options.device},
                                                   {"sets", sets}}
                                                      .dump(1) +
                                                  "\n");
  text.pop_back();
  write_file_atomically(out / "elastic.md", text);
  fmt::print("{}", text);
  return 0;
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  headroom::ElasticPage options;
  CLI::App app("A page of what scripts/bench-elastic left in a folder.", "bench-elastic");
  app.add_option("FOLDER", options.folder)->required();
  app.add_option("OUT", options.out, "a folder")->required();
  app.add_option("--base", options.base, "told on the page: the model that all started from");
  app.add_option("--commit", options.commit, "likewise");
  app.add_option("--device", options.device, "likewise: what trained them");
  CLI11_PARSE(app, argc, argv);
  return headroom::run_program("bench-elastic", [&] { return headroom::write_page(options); });
}
