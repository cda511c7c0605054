#include "experiments/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/error.h"
#include "base/files/file.h"
#include "base/join.h"
#include "base/measure/machine.h"
#include "experiments/adaptive/experiment.h"
#include "experiments/adaptive/summary.h"
#include "experiments/adaptive/timing.h"
#include "experiments/budgeted/experiment.h"
#include "experiments/budgeted/summary.h"
#include "experiments/claims/claims.h"
#include "experiments/commit.h"
#include "experiments/nested/experiment.h"
#include "experiments/nested/summary.h"
#include "experiments/record/runs.h"
#include "experiments/variants/attention_bench.h"
#include "experiments/variants/experiment.h"
#include "experiments/variants/kind_budgets_summary.h"
#include "experiments/variants/summary.h"
#include "train/evaluate/torch_bench.h"

namespace headroom::experiments {
namespace {

namespace fs = std::filesystem;
using Select = std::function<Selection(double)>;

constexpr int timing_rounds = 101;
constexpr const char* timed_variants_task = "imdb32";

// Measured on this machine's CPU, one thread.
Json timing_of(Json cells) {
  return {{"date", today()},
          {"threads", 1},
          {"rounds", timing_rounds},
          {"machine", describe_machine()},
          {"cells", std::move(cells)}};
}

// Times the selections of a finished run, of `tokens` or the longest input, whichever is shorter.
// Weights do not matter for time, so runs trained elsewhere can be timed here.
Json time_selections(const Record& run, std::vector<double> budgets, int64_t tokens,
                     const Select& select, ProgressSink& progress) {
  const ModelShape shape = shape_of(run);
  BenchSettings settings;
  settings.budgets = std::move(budgets);
  settings.batches = {1, 32};
  settings.tokens = {std::min(tokens, shape.positions)};
  settings.rounds = timing_rounds;
  settings.warmup = 5;
  settings.threads = 1;
  Json cells = Json::array();
  for (const BenchCell& cell : bench_shape(shape, select, settings, progress)) {
    cells.push_back(to_json(cell));
  }
  return timing_of(std::move(cells));
}

Json time_budgeted(const Experiment& /*experiment*/, const fs::path& /*folder*/, const Record& run,
                   ProgressSink& progress) {
  if (run.find("budgeted") == nullptr) return Json::object();
  const GateParameters gates = gates_of(run, "budgeted");
  return time_selections(
      run, {0.25, 0.5, 0.75, 1.0}, sizes_of(run).max_tokens,
      [&](double budget) { return select_heads(gates.order(budget), budget); }, progress);
}

Json time_nested(const Experiment& /*experiment*/, const fs::path& /*folder*/, const Record& run,
                 ProgressSink& progress) {
  const std::string arm = run.default_arm.empty() ? "nested" : run.default_arm;
  if (run.find(arm) == nullptr) return Json::object();
  const UnitOrder order = order_of(run, arm);
  const ModelShape shape = shape_of(run);
  return time_selections(
      run, {0.125, 0.25, 0.5, 0.75, 1.0}, 128,
      [&](double budget) { return select_units(order, shape, budget); }, progress);
}

Json time_adaptive(const Experiment& experiment, const fs::path& folder, const Record& /*run*/,
                   ProgressSink& progress) {
  return adaptive::time_choices(folder / "runs", experiment.task.eval_data,
                                experiment.task.data_dir, progress);
}

// A layer's time knows no task: it is measured and stored where claim 20 reads it.
Json time_variants(const Experiment& /*experiment*/, const fs::path& /*folder*/, const Record& run,
                   ProgressSink& progress) {
  if (run.task != timed_variants_task) return Json::object();
  variants::AttentionBench bench;
  bench.rounds = timing_rounds;
  return timing_of(variants::bench_attention(bench, progress));
}

constexpr Kind kinds[] = {
    {"budgeted", budgeted::describe, budgeted::run_seed, time_budgeted, budgeted::summarise},
    {"nested", nested::describe, nested::run_seed, time_nested, nested::summarise},
    {"adaptive", adaptive::describe, adaptive::run_seed, time_adaptive, adaptive::summarise},
    {"variants", variants::describe, variants::run_seed, time_variants, variants::summarise},
};

Json timing_for(const Kind& kind, const Experiment& experiment, const ReproduceRequest& request,
                const Record& run, ProgressSink& progress) {
  const fs::path file = request.out / "timing.json";
  if (fs::exists(file) && !request.time_again) {
    return parse_json(read_file(file, ErrorCode::bad_data), ErrorCode::bad_data, file.string());
  }
  Json timing = kind.time(experiment, request.out, run, progress);
  if (!timing.empty()) write_file_atomically(file, timing.dump(1) + "\n");
  return timing;
}

}  // namespace

const Kind& kind_named(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Kind& kind : kinds) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  throw Error(
      ErrorCode::usage, "reproduce",
      fmt::format("EXPERIMENT {} is not supported; this version has: {}", name, join(names, ", ")));
}

Runs run_seeds(const Kind& kind, const Experiment& experiment, const ReproduceRequest& request,
               ProgressSink& progress) {
  std::error_code error;
  fs::create_directories(request.out / "runs", error);
  if (error) {
    throw Error(ErrorCode::runtime, "reproduce",
                fmt::format("{}: {}", request.out.string(), error.message()));
  }
  const std::string warning = request.summary_only ? "" : commit_warning(build_commit());
  if (!warning.empty()) progress.note(warning);
  Runs runs;
  for (const uint64_t seed : request.seeds) {
    Experiment of_seed = experiment;
    if (experiment.vary_split) of_seed.task.split_seed = seed;
    const fs::path file = request.out / "runs" / fmt::format("seed-{}.json", seed);
    runs.push_back(request.summary_only ? read_record(file)
                                        : kind.run_seed(of_seed, seed, file, progress));
  }
  return runs;
}

Page write_summary(const Kind& kind, const Experiment& experiment, const ReproduceRequest& request,
                   const Runs& runs, ProgressSink& progress) {
  require_one_recipe(runs);
  Page page = kind.summarise(runs, timing_for(kind, experiment, request, runs.front(), progress));
  const std::string folder = fs::weakly_canonical(request.out).filename().string();
  if (const ChosenAfterwards* const chosen = chosen_afterwards(folder)) {
    flag_afterwards(page, chosen->why);
  }
  write_page(request.out, page);
  return page;
}

}  // namespace headroom::experiments
