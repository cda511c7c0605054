#include "experiments/chapter_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/join.h"
#include "experiments/summary_parts.h"
#include "report/html_parts.h"

namespace headroom {
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

ReportChapter chapter_about(const ResultsFolder& folder) {
  ReportChapter chapter;
  chapter.title = fmt::format("{} on {}", folder.experiment, folder.task);
  chapter.lead = fmt::format("An experiment with {} {}, from {}.", folder.runs.size(),
                             folder.runs.size() == 1 ? "seed" : "seeds", folder.name);
  return chapter;
}

Table setting_table(const Runs& runs) {
  const Json& run = runs[0];
  Table table{{"setting", ""}, {}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) table.rows.push_back({name, value});
  };
  const auto object = [&](const char* key) {
    return run.contains(key) && run.at(key).is_object() ? values_in(run.at(key)) : std::string();
  };
  add("seeds", list_seeds(runs, ", "));
  add("rows", object("rows"));
  add("shape", object("shape"));
  add("start", run.value("start", ""));
  const Json machine = run.value("machine", Json::object());
  add("trained on", machine.value("gpu", machine.value("cpu", "")));
  add("date", run.value("date", ""));
  return table;
}

std::string experiment_command(const ResultsFolder& folder) {
  const std::string made = folder.results.value("command", "");
  if (made.empty()) return "";
  return command_list({{fmt::format("{} --out DIR", made), "The experiment:"}});
}

}  // namespace headroom
