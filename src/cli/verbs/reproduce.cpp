// headroom reproduce: an experiment, all arms and seeds, to tables and plots.
#include "experiments/reproduce.h"

#include <fmt/format.h>

#include "cli/app.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/verb.h"

namespace headroom {

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
  bool vary_split = false;
  experiments::ReproduceRequest request;
  bool runs_only = false;
  app.add_option("EXPERIMENT", name, "budgeted, nested, adaptive or variants")->required();
  app.add_option(
         "--task", task,
         "budgeted: synthetic, synthetic-hard, agnews, dbpedia, imdb; nested: agnews, imdb, "
         "dbpedia, "
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
  app.add_flag(
      "--vary-split", vary_split,
      "every seed sets other validation rows aside, so that intervals over seeds cover the "
      "split; without it all seeds share one");
  app.add_flag("--time-again", request.time_again,
               "measure time anew instead of keeping timing.json");
  app.add_flag("--runs-only", runs_only,
               "train and score, but write no summary (to share seeds among processes)");
  app.add_flag("--summary-only", request.summary_only,
               "train nothing: summarise the runs that --out holds");
  add_data_dir(app, data_dir);
  add_device(app, device);
  add_threads(app, threads);
  return run_app(app, argc, argv, [&](bool json) {
    const experiments::Kind& kind = experiments::kind_named(name);
    experiments::Experiment experiment = kind.describe(task, quick);
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
    if (vary_split) {
      experiment.vary_split = true;
      experiment.options += " --vary-split";
    }
    for (const int64_t seed : parse_counts("--seeds", seeds)) {
      request.seeds.push_back(static_cast<uint64_t>(seed));
    }
    request.out = out;
    ConsoleProgress progress;
    const experiments::Runs runs = run_seeds(kind, experiment, request, progress);
    if (runs_only) return;
    const experiments::Page page = write_summary(kind, experiment, request, runs, progress);
    if (json) {
      print_json_line(page.results);
    } else {
      fmt::print("{}\n", page.text);
    }
  });
}

}  // namespace headroom
