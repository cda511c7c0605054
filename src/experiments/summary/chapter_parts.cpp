#include "experiments/summary/chapter_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/join.h"
#include "experiments/summary/parts.h"
#include "report/html_parts.h"

namespace headroom::experiments {
namespace {

std::string values_in(const Json& object) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : object.items()) {
    std::string name = key;
    std::replace(name.begin(), name.end(), '_', ' ');
    const std::string shown =
        value.is_number_integer() ? with_commas(value.get<int64_t>()) : value.dump();
    parts.push_back(fmt::format("{} {}", name, shown));
  }
  return join(parts, ", ");
}

}  // namespace

Chapter chapter_about(const ResultsFolder& folder) {
  Chapter chapter;
  chapter.title = fmt::format("{} on {}", folder.experiment, folder.task);
  chapter.lead = fmt::format("An experiment with {} {}, from {}.", folder.runs.size(),
                             folder.runs.size() == 1 ? "seed" : "seeds", folder.name);
  return chapter;
}

Table setting_table(const Runs& runs) {
  const Record& run = runs[0];
  const Json stored = to_json(run);
  Table table{{"setting", ""}, {}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) table.rows.push_back({name, value});
  };
  add("seeds", list_seeds(runs, ", "));
  if (run.rows) add("rows", values_in(stored.at("rows")));
  if (run.shape) add("shape", values_in(stored.at("shape")));
  add("start", run.start);
  if (run.machine)
    add("trained on", run.machine->gpu.empty() ? run.machine->cpu : run.machine->gpu);
  add("date", run.date);
  add("commit", run.commit);
  return table;
}

std::string experiment_command(const ResultsFolder& folder) {
  const std::string made = folder.results.value("command", "");
  if (made.empty()) return "";
  return command_list({{fmt::format("{} --out DIR", made), "The experiment:"}});
}

}  // namespace headroom::experiments
