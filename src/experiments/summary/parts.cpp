#include "experiments/summary/parts.h"

#include <fmt/format.h>

#include <set>

#include "base/error.h"
#include "base/join.h"
#include "base/table.h"
#include "experiments/claims/claims.h"
#include "report/plot/time_plot.h"

namespace headroom::experiments {
namespace {

// Of every arm; none before commits were stored.
std::set<std::string> commits_of(const Runs& runs) {
  std::set<std::string> commits;
  for (const Record& run : runs) {
    for (const NamedArm& named : run.arms) commits.insert(named.arm.commit);
  }
  commits.erase("");
  return commits;
}

std::string describe_setting(const Runs& runs, const std::string& model) {
  const Record& run = runs[0];
  const MachineRecord& machine = machine_of(run);
  const RowCounts& rows = rows_of(run);
  const std::set<std::string> commits = commits_of(runs);
  return fmt::format(
      "- Seeds: {}{}. Rows: {} train, {} validation (chosen on), {} test (read once per arm).\n"
      "- Model: {}.\n"
      "- Trained {} on {} ({}), torch {}{}.\n",
      list_seeds(runs, ", "),
      run.recipe.contains(split_key) ? ", each with a validation split of its own" : "",
      rows.train ? fmt::format("{}", *rows.train) : "fresh", rows.validation, rows.test, model,
      run.date, machine.cpu, machine.gpu.empty() ? machine.device : machine.gpu, machine.torch,
      commits.empty() ? "" : fmt::format(", commit {}", join(commits, ", ")));
}

}  // namespace

void require_summarisable(const Runs& runs) {
  if (runs.empty()) throw Error(ErrorCode::usage, "summarise", "there are no runs");
  require_one_recipe(runs);
}

Json describe_results(const std::string& experiment, const Runs& runs) {
  // The record's own parts as they stand in its file.
  const Json run = to_json(runs[0]);
  return {{"experiment", experiment},
          {"task", run.at("task")},
          {"command", reproduce_command(experiment, runs)},
          {"machine", run.value("machine", Json())},
          {"date", runs[0].date},
          {"rows", run.value("rows", Json())},
          {"seeds", runs.size()}};
}

std::string list_seeds(const Runs& runs, std::string_view separator) {
  std::vector<uint64_t> seeds;
  for (const Record& run : runs) seeds.push_back(run.seed);
  return join(seeds, separator);
}

std::string describe_sizes(const Record& run) {
  const ShapeRecord& shape = sizes_of(run);
  return fmt::format("{} layers, width {}, {} heads, FFN {}", shape.layers, shape.width,
                     shape.heads, shape.ffn);
}

std::string describe_model(const Record& run) {
  const ShapeRecord& shape = sizes_of(run);
  const std::string groups =
      shape.ffn_group ? fmt::format(" in groups of {}", *shape.ffn_group) : "";
  return fmt::format("{}{}, up to {} tokens, vocabulary {}", describe_sizes(run), groups,
                     shape.max_tokens, shape.vocabulary);
}

std::string page_heading(const std::string& title, std::string_view experiment, const Runs& runs,
                         const std::string& model, const std::string& more) {
  const DataNote* const note = data_note(runs[0].task);
  return fmt::format("# {}\n\nMade by `{}`.{}\n\n{}{}", title, reproduce_command(experiment, runs),
                     more, describe_setting(runs, model),
                     note == nullptr ? "" : fmt::format("- Data: {}.\n", note->what));
}

std::string timing_section(const Runs& runs, const Json& timing) {
  if (!timing.contains("cells")) return "";
  return fmt::format(
      "## Measured time\n\nTorch engine, {} thread, dense and sliced interleaved, medians, on {}, "
      "{}; selections of seed {}. The cap is dense MACs over this budget's MACs.\n\n{}\n",
      timing.at("threads").dump(), timing.at("machine").at("cpu").get<std::string>(),
      timing.at("date").get<std::string>(), runs[0].seed, markdown(timing_table(timing)));
}

std::string missing_section(const Runs& runs, Arms arms) {
  const std::vector<std::string> missing = missing_arms(runs, arms);
  return missing.empty() ? "" : fmt::format("\n## Not run\n\n{}\n", join(missing, ", "));
}

std::string reproduce_command(std::string_view experiment, const Runs& runs) {
  const std::string& start = runs[0].start;
  constexpr std::string_view pretrained = "pretrained ";
  return fmt::format(
      "headroom reproduce {} --task {}{} --seeds {}{}", experiment, runs[0].task,
      start.starts_with(pretrained) ? " --init models/" + start.substr(pretrained.size()) : "",
      list_seeds(runs, ","), runs[0].options);
}

}  // namespace headroom::experiments
