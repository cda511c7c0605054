// headroom reproduce: a published experiment, all arms and seeds, to tables and plots.
#include <fmt/format.h>

#include <filesystem>

#include "base/file.h"
#include "base/machine.h"
#include "budget/gates.h"
#include "cli/app.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "report/budgeted_summary.h"
#include "train/budgeted_experiment.h"
#include "train/torch_bench.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

// Times the selections of a finished run on this machine's CPU, one thread. Weights do not matter
// for time, so runs trained elsewhere can be timed here.
Json measure_timing(const Json& run, ProgressSink& progress) {
  const Json& shape_json = run.at("shape");
  ModelShape shape;
  shape.layers = shape_json.at("layers").get<int64_t>();
  shape.width = shape_json.at("width").get<int64_t>();
  shape.heads = shape_json.at("heads").get<int64_t>();
  shape.ffn = shape_json.at("ffn").get<int64_t>();
  shape.positions = shape_json.at("max_tokens").get<int64_t>();
  shape.vocabulary = shape_json.at("vocabulary").get<int64_t>();
  shape.labels = shape_json.at("labels").get<int64_t>();
  const Json& gates_json = run.at("arms").at("budgeted").at("gates");
  const GateParameters gates{shape.layers, shape.heads,
                             gates_json.at("offset").get<std::vector<double>>(),
                             gates_json.at("slope").get<std::vector<double>>()};
  BenchSettings settings;
  settings.budgets = {0.25, 0.5, 0.75, 1.0};
  settings.batches = {1, 32};
  settings.tokens = {shape.positions};
  settings.rounds = 101;
  settings.warmup = 5;
  settings.threads = 1;
  const auto select = [&](double b) { return select_heads(gates.order(b), b); };
  Json timing = {{"date", today()},
                 {"threads", 1},
                 {"rounds", settings.rounds},
                 {"machine", describe_machine()},
                 {"cells", Json::array()}};
  for (const BenchCell& cell : bench_shape(shape, select, settings, progress)) {
    timing["cells"].push_back(to_json(cell));
  }
  return timing;
}

Json read_run(const fs::path& file) {
  return parse_json(read_file(file, ErrorCode::bad_data), ErrorCode::bad_data, file.string());
}

Json timing_for(const fs::path& file, const Json& run, bool again, ProgressSink& progress) {
  if (fs::exists(file) && !again) return read_run(file);
  Json timing = measure_timing(run, progress);
  write_file_atomically(file, timing.dump(1) + "\n");
  return timing;
}

void write_summary(const fs::path& out, const BudgetedSummary& summary) {
  write_file_atomically(out / "results.json", summary.results.dump(1) + "\n");
  write_file_atomically(out / "README.md", summary.page);
  write_file_atomically(out / "accuracy.svg", summary.accuracy);
  write_file_atomically(out / "accuracy-close.svg", summary.accuracy_close);
  write_file_atomically(out / "gates.svg", summary.gates);
  write_file_atomically(out / "mass.svg", summary.mass);
}

}  // namespace

int run_reproduce(int argc, char** argv) {
  CLI::App app(
      "Runs a published experiment with all its arms and seeds. Interrupted runs go on: arms "
      "already in --out are kept.",
      "headroom reproduce");
  std::string name;
  std::string task;
  std::string seeds = "1,2,3";
  std::string out;
  std::string data_dir = default_data_dir();
  std::string device = "cpu";
  int threads = 0;
  bool quick = false;
  bool again = false;
  bool runs_only = false;
  bool summary_only = false;
  app.add_option("EXPERIMENT", name, "budgeted")->required();
  app.add_option("--task", task, "synthetic, agnews, dbpedia or imdb")->required();
  app.add_option("--seeds", seeds, "comma-separated seeds, at least three for any claim");
  app.add_option("--out", out, "directory for results")->required();
  app.add_flag("--quick", quick,
               "small sizes, to see that everything runs; the numbers mean nothing");
  app.add_flag("--time-again", again, "measure time anew instead of keeping timing.json");
  app.add_flag("--runs-only", runs_only,
               "train and score, but write no summary (to share seeds among processes)");
  app.add_flag("--summary-only", summary_only,
               "train nothing: summarise the runs that --out holds");
  add_data_dir(app, data_dir);
  add_device(app, device);
  add_threads(app, threads);
  return run_app(app, argc, argv, [&](bool json) {
    require_supported("EXPERIMENT", name, {"budgeted"});
    BudgetedExperiment experiment = budgeted_experiment(task, quick);
    experiment.task.data_dir = data_dir;
    experiment.device = device;
    experiment.threads = threads;
    const fs::path folder = out;
    std::error_code error;
    fs::create_directories(folder / "runs", error);
    if (error)
      throw Error(ErrorCode::runtime, "reproduce", fmt::format("{}: {}", out, error.message()));
    ConsoleProgress progress;
    std::vector<Json> runs;
    for (const int64_t seed : parse_counts("--seeds", seeds)) {
      const fs::path file = folder / "runs" / fmt::format("seed-{}.json", seed);
      runs.push_back(summary_only ? read_run(file)
                                  : run_budgeted_seed(experiment, static_cast<uint64_t>(seed), file,
                                                      progress));
    }
    if (runs_only) return;
    const Json timing = timing_for(folder / "timing.json", runs[0], again, progress);
    const std::string command = fmt::format("headroom reproduce budgeted --task {} --seeds {}{}",
                                            task, seeds, quick ? " --quick" : "");
    const BudgetedSummary summary = summarise_budgeted(runs, timing, command);
    write_summary(folder, summary);
    if (json) {
      print_json_line(summary.results);
    } else {
      fmt::print("{}\n", summary.page);
    }
  });
}

}  // namespace headroom
