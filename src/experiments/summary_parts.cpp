#include "experiments/summary_parts.h"

#include <fmt/format.h>

#include "base/join.h"
#include "base/table.h"
#include "report/plot/time_plot.h"

namespace headroom {
Json describe_results(const std::string& experiment, const Runs& runs, const std::string& command) {
  const Json& run = runs[0];
  return {{"experiment", experiment},     {"task", run.at("task")}, {"command", command},
          {"machine", run.at("machine")}, {"date", run.at("date")}, {"rows", run.at("rows")},
          {"seeds", runs.size()}};
}

std::string list_seeds(const Runs& runs, std::string_view separator) {
  std::vector<uint64_t> seeds;
  for (const Json& run : runs) seeds.push_back(run.at("seed").get<uint64_t>());
  return join(seeds, separator);
}

std::string describe_setting(const Runs& runs, const std::string& model) {
  const Json& run = runs[0];
  const Json& machine = run.at("machine");
  return fmt::format(
      "- Seeds: {}. Rows: {} train, {} validation (chosen on), {} test (read once per arm).\n"
      "- Model: {}.\n"
      "- Trained {} on {} ({}), torch {}.\n",
      list_seeds(runs, ", "), run.at("rows").at("train").dump(),
      run.at("rows").at("validation").dump(), run.at("rows").at("test").dump(), model,
      run.at("date").get<std::string>(), machine.at("cpu").get<std::string>(),
      machine.contains("gpu") ? machine.at("gpu").get<std::string>()
                              : machine.at("device").get<std::string>(),
      machine.at("torch").get<std::string>());
}

std::string timing_section(const Runs& runs, const Json& timing) {
  if (!timing.contains("cells")) return "";
  return fmt::format(
      "## Measured time\n\nTorch engine, {} thread, dense and sliced interleaved, medians, on {}, "
      "{}; selections of seed {}. The cap is dense MACs over this budget's MACs.\n\n{}\n",
      timing.at("threads").dump(), timing.at("machine").at("cpu").get<std::string>(),
      timing.at("date").get<std::string>(), runs[0].at("seed").dump(),
      markdown(timing_table(timing)));
}

std::string missing_section(const Runs& runs, Arms arms) {
  const std::vector<std::string> missing = missing_arms(runs, arms);
  return missing.empty() ? "" : fmt::format("\n## Not run\n\n{}\n", join(missing, ", "));
}

std::string reproduce_command(std::string_view experiment, const Runs& runs) {
  const std::string start = runs[0].value("start", "");
  constexpr std::string_view pretrained = "pretrained ";
  return fmt::format(
      "headroom reproduce {} --task {}{} --seeds {}{}", experiment,
      runs[0].at("task").get<std::string>(),
      start.starts_with(pretrained) ? " --init models/" + start.substr(pretrained.size()) : "",
      list_seeds(runs, ","), runs[0].value("options", ""));
}

}  // namespace headroom
