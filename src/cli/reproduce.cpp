// headroom reproduce: an experiment, all arms and seeds, to tables and plots.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>

#include "base/file.h"
#include "base/machine.h"
#include "cli/app.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "experiments/adaptive/experiment.h"
#include "experiments/adaptive/summary.h"
#include "experiments/adaptive/timing.h"
#include "experiments/budgeted/experiment.h"
#include "experiments/budgeted/summary.h"
#include "experiments/nested/experiment.h"
#include "experiments/nested/summary.h"
#include "experiments/runs.h"
#include "experiments/variants/attention_bench.h"
#include "experiments/variants/experiment.h"
#include "experiments/variants/kind_budgets.h"
#include "experiments/variants/kind_budgets_summary.h"
#include "experiments/variants/summary.h"
#include "train/evaluate/torch_bench.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using Select = std::function<Selection(double)>;

struct Page {
  Json results;
  std::string text;
  std::vector<std::pair<std::string, std::string>>
      plots;  // file name, SVG; an empty one is not kept
};

// What differs from one experiment to the next.
struct ExperimentKind {
  Experiment (*make)(const std::string& task, bool quick);
  Json (*run_seed)(const Experiment&, uint64_t seed, const fs::path& file, ProgressSink&);
  // What is measured on this machine, from the first finished run; {} where nothing can be.
  std::function<Json(const Experiment&, const fs::path& out, const Json& run, ProgressSink&)> time;
  Page (*summarise)(const std::vector<Json>& runs, const Json& timing);
};

Select budgeted_selections(const Json& run) {
  return [gates = gates_of_run(run, "budgeted")](double budget) {
    return select_heads(gates.order(budget), budget);
  };
}

Select nested_selections(const Json& run) {
  const std::string arm = run.value("default_arm", "nested");
  return [order = order_of_run(run, arm), shape = shape_of_run(run)](double budget) {
    return select_units(order, shape, budget);
  };
}

Page budgeted_page(const std::vector<Json>& runs, const Json& timing) {
  const BudgetedSummary summary = summarise_budgeted(runs, timing);
  return {summary.results,
          summary.page,
          {{"accuracy.svg", summary.accuracy},
           {"accuracy-close.svg", summary.accuracy_close},
           {"gates.svg", summary.gates},
           {"mass.svg", summary.mass}}};
}

Page variants_page(const std::vector<Json>& runs, const Json& timing) {
  if (runs[0].at("task") == kind_budgets_task) {
    const KindBudgetsSummary table = summarise_kind_budgets(runs);
    return {table.results, table.page, {}};
  }
  const VariantsSummary summary = summarise_variants(runs, timing);
  return {summary.results,
          summary.page,
          {{"scores.svg", summary.scores},
           {"macs.svg", summary.macs},
           {"latency.svg", summary.latency}}};
}

Page nested_page(const std::vector<Json>& runs, const Json& timing) {
  const NestedSummary summary = summarise_nested(runs, timing);
  return {summary.results,
          summary.page,
          {{"accuracy.svg", summary.accuracy},
           {"accuracy-time.svg", summary.accuracy_time},
           {"alive.svg", summary.alive}}};
}

Page adaptive_page(const std::vector<Json>& runs, const Json& timing) {
  AdaptiveSummary summary = summarise_adaptive(runs, timing);
  return {summary.results, summary.page, std::move(summary.plots)};
}

constexpr int timing_rounds = 101;

BenchSettings timing_settings(std::vector<double> budgets, int64_t tokens) {
  BenchSettings settings;
  settings.budgets = std::move(budgets);
  settings.batches = {1, 32};
  settings.tokens = {tokens};
  settings.rounds = timing_rounds;
  settings.warmup = 5;
  settings.threads = 1;
  return settings;
}

// Measured on this machine's CPU, one thread.
Json timing_of(Json cells) {
  return {{"date", today()},
          {"threads", 1},
          {"rounds", timing_rounds},
          {"machine", describe_machine()},
          {"cells", std::move(cells)}};
}

// Times the selections of a finished run. Weights do not matter for time, so runs trained elsewhere
// can be timed here.
Json time_selections(BenchSettings settings, const Select& select, const Json& run,
                     ProgressSink& progress) {
  const ModelShape shape = shape_of_run(run);
  for (int64_t& tokens : settings.tokens) {  // 0, or more than the model reads: its longest input
    tokens = tokens == 0 ? shape.positions : std::min(tokens, shape.positions);
  }
  Json cells = Json::array();
  for (const BenchCell& cell : bench_shape(shape, select, settings, progress)) {
    cells.push_back(to_json(cell));
  }
  return timing_of(std::move(cells));
}

ExperimentKind kind_named(const std::string& name) {
  require_supported("EXPERIMENT", name, {"budgeted", "nested", "adaptive", "variants"});
  if (name == "adaptive") {
    return {adaptive_experiment, run_adaptive_seed,
            [](const Experiment& experiment, const fs::path& out, const Json& /*run*/,
               ProgressSink& progress) {
              return time_choices(out / "runs", experiment.task.eval_data, experiment.task.data_dir,
                                  progress);
            },
            adaptive_page};
  }
  if (name == "variants") {
    return {variants_experiment, run_variants_seed,
            [](const Experiment&, const fs::path&, const Json& run, ProgressSink& progress) {
              if (run.at("task") == kind_budgets_task) return timing_of(Json::array());
              AttentionBench bench;
              bench.rounds = timing_rounds;
              return timing_of(bench_attention(bench, progress));
            },
            variants_page};
  }
  if (name == "nested") {
    return {nested_experiment, run_nested_seed,
            [](const Experiment&, const fs::path&, const Json& run, ProgressSink& progress) {
              return time_selections(timing_settings({0.125, 0.25, 0.5, 0.75, 1.0}, 128),
                                     nested_selections(run), run, progress);
            },
            nested_page};
  }
  return {budgeted_experiment, run_budgeted_seed,
          [](const Experiment&, const fs::path&, const Json& run, ProgressSink& progress) {
            return time_selections(timing_settings({0.25, 0.5, 0.75, 1.0}, 0),
                                   budgeted_selections(run), run, progress);
          },
          budgeted_page};
}

Json read_run(const fs::path& file) {
  return parse_json(read_file(file, ErrorCode::bad_data), ErrorCode::bad_data, file.string());
}

Json timing_for(const ExperimentKind& kind, const Experiment& experiment, const fs::path& out,
                const Json& run, bool again, ProgressSink& progress) {
  const fs::path file = out / "timing.json";
  if (fs::exists(file) && !again) return read_run(file);
  Json timing = kind.time(experiment, out, run, progress);
  if (!timing.empty()) write_file_atomically(file, timing.dump(1) + "\n");
  return timing;
}

void write_page(const fs::path& out, const Page& page) {
  write_file_atomically(out / "results.json", page.results.dump(1) + "\n");
  write_file_atomically(out / "README.md", page.text);
  for (const auto& [name, svg] : page.plots) {
    if (!svg.empty()) write_file_atomically(out / name, svg);
  }
}

}  // namespace

int run_reproduce(int argc, char** argv) {
  CLI::App app(
      "Runs an experiment with all its arms and seeds. Interrupted runs go on: arms already in "
      "--out are kept.",
      "headroom reproduce");
  std::string name;
  std::string task;
  std::string seeds = "1,2,3";
  std::string arms;
  std::string init;
  std::string out;
  std::string data_dir = default_data_dir();
  std::string device = "cpu";
  int threads = 0;
  double epochs = 0;
  int64_t train_rows = 0;
  bool quick = false;
  bool again = false;
  bool runs_only = false;
  bool summary_only = false;
  app.add_option("EXPERIMENT", name, "budgeted, nested, adaptive or variants")->required();
  app.add_option(
         "--task", task,
         "budgeted: synthetic, agnews, dbpedia, imdb; nested: agnews, imdb, dbpedia, "
         "banking77; adaptive: agnews, imdb, dbpedia, sick, snli, yelp; variants: imdb32, "
         "imdb-small, imdb-medium, imdb-large, agnews, agnews-budgets, sick, mnist, cifar10, "
         "shakespeare, multi30k")
      ->required();
  app.add_option("--init", init, "pretrained checkpoint that every arm starts from");
  app.add_option("--seeds", seeds, "comma-separated seeds, at least three for any claim");
  app.add_option("--arms", arms, "run only these, comma-separated; without it all");
  app.add_option("--epochs", epochs,
                 "of the dense stage; adaptive: of every arm. 0: the task's own")
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--train-rows", train_rows, "use a class-balanced sample; 0: the task's own")
      ->check(CLI::NonNegativeNumber);
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
    const ExperimentKind kind = kind_named(name);
    Experiment experiment = kind.make(task, quick);
    experiment.task.data_dir = data_dir;
    experiment.device = device;
    experiment.threads = threads;
    experiment.arms = split_list(arms);
    experiment.init = init;
    if (quick) experiment.options += " --quick";
    if (epochs > 0) {
      experiment.recipe.dense_epochs = epochs;
      experiment.options += fmt::format(" --epochs {}", epochs);
    }
    if (train_rows > 0) {
      experiment.task.train_rows = train_rows;
      experiment.options += fmt::format(" --train-rows {}", train_rows);
    }
    const fs::path folder = out;
    std::error_code error;
    fs::create_directories(folder / "runs", error);
    if (error)
      throw Error(ErrorCode::runtime, "reproduce", fmt::format("{}: {}", out, error.message()));
    ConsoleProgress progress;
    std::vector<Json> runs;
    for (const int64_t seed : parse_counts("--seeds", seeds)) {
      const fs::path file = folder / "runs" / fmt::format("seed-{}.json", seed);
      runs.push_back(summary_only
                         ? read_run(file)
                         : kind.run_seed(experiment, static_cast<uint64_t>(seed), file, progress));
    }
    if (runs_only) return;
    const Json timing = timing_for(kind, experiment, folder, runs[0], again, progress);
    const Page page = kind.summarise(runs, timing);
    write_page(folder, page);
    if (json) {
      print_json_line(page.results);
    } else {
      fmt::print("{}\n", page.text);
    }
  });
}

}  // namespace headroom
