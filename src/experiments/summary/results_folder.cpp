#include "experiments/summary/results_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/files/file.h"
#include "experiments/adaptive/findings.h"
#include "experiments/budgeted/summary.h"
#include "experiments/nested/summary.h"

namespace headroom::experiments {
namespace {

namespace fs = std::filesystem;

Json read_json_file(const fs::path& file) {
  return parse_json(read_file(file, ErrorCode::bad_data), ErrorCode::bad_data, file.string());
}

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder, error)) entries.push_back(entry.path());
  if (error) {
    throw Error(ErrorCode::bad_data, "read results",
                fmt::format("{}: {}", folder.string(), error.message()));
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

Runs read_runs(const fs::path& folder) {
  Runs runs;
  for (const fs::path& file : sorted_entries(folder)) {
    if (file.extension() == ".json") runs.push_back(read_record(file));
  }
  if (runs.empty()) {
    throw Error(ErrorCode::bad_data, "read results",
                fmt::format("{} holds no runs: has reproduce finished a seed?", folder.string()));
  }
  std::sort(runs.begin(), runs.end(),
            [](const Record& a, const Record& b) { return a.seed < b.seed; });
  return runs;
}

std::vector<Arm> arms_in(const Runs& runs) {
  std::vector<Arm> arms;
  for (const Record& run : runs) {
    for (const auto& [name, record] : run.arms) {
      const auto same = [&key = name](const Arm& other) { return other.key == key; };
      if (std::none_of(arms.begin(), arms.end(), same)) {
        arms.push_back({name.c_str(), name.c_str()});
      }
    }
  }
  return arms;
}

std::vector<Arm> listed_arms(const ResultsFolder& folder) {
  Arms known;
  if (folder.experiment == "budgeted") known = budgeted::arms();
  if (folder.experiment == "nested") known = nested::arms();
  if (folder.experiment == "adaptive") known = adaptive::arms();
  return known.empty() ? arms_in(folder.runs) : std::vector<Arm>(known.begin(), known.end());
}

}  // namespace

ResultsFolder read_results(const fs::path& folder) {
  ResultsFolder found;
  found.name = folder_name(folder);
  found.results = read_json_file(folder / "results.json");
  const JsonFields fields(found.results, ErrorCode::bad_data, (folder / "results.json").string());
  found.experiment = fields.text("experiment");
  found.task = fields.text("task");
  found.runs = read_runs(folder / "runs");
  found.timing =
      fs::exists(folder / "timing.json") ? read_json_file(folder / "timing.json") : Json::object();
  return found;
}

std::vector<ResultsFolder> read_all_results(const fs::path& parent) {
  std::vector<ResultsFolder> folders;
  for (const fs::path& entry : sorted_entries(parent)) {
    if (!fs::exists(entry / "results.json") || !fs::exists(entry / "runs")) continue;
    folders.push_back(read_results(entry));
  }
  return folders;
}

ExperimentArms arms_of(const ResultsFolder& folder) {
  ExperimentArms arms{listed_arms(folder), {}};
  // The summary or the record says which arm it is about; otherwise the one with the experiment's
  // name.
  const std::string& named = folder.runs[0].default_arm;
  const std::string ours =
      folder.results.value("compared_arm", named.empty() ? folder.experiment : named);
  const auto found = std::find_if(arms.all.begin(), arms.all.end(),
                                  [&](const Arm& arm) { return arm.key == ours; });
  if (found == arms.all.end()) {
    throw Error(ErrorCode::bad_data, "read results",
                fmt::format("{} has no arm \"{}\" to compare the others with", folder.name, ours));
  }
  arms.ours = *found;
  return arms;
}

}  // namespace headroom::experiments
