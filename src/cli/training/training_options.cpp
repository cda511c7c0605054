#include "cli/training/training_options.h"

#include "budget/fraction.h"
#include "cli/app.h"

namespace headroom {

void add_run_options(CLI::App& app, TrainRequest& request, TrainingOptions& options) {
  const char* group = "Run";
  app.add_flag("--resume", request.resume, "go on with the unfinished run beside --out")
      ->group(group);
  app.add_flag("--restart", request.restart,
               "begin anew: discard the unfinished run beside --out, replace the model there")
      ->group(group);
  app.add_option("--save-seconds", request.save_seconds, "between saved states")
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  app.add_option("--weights", options.weights, "how weights are stored")
      ->type_name(choice_type({"fp32", "bf16"}))
      ->group(group);
  app.add_option("--budgets", options.budgets, "budgets shown at the end")->group(group);
}

void add_machine_options(CLI::App& app, TrainRequest& request, TrainingOptions& options) {
  add_seed(app, request.seed);
  add_threads(app, request.threads);
  add_device(app, request.device);
  add_parallel(app, options.parallel);
}

void run_training(TrainRequest& request, TrainingOptions& options, int argc, char** argv,
                  const std::function<TrainReport(const TrainRequest&, ProgressSink&)>& train,
                  const std::function<void(const TrainReport&)>& print) {
  require_supported("--weights", options.weights, {"fp32", "bf16"});
  require_new_output(options.out, request.resume, request.restart);
  request.bf16_weights = options.weights == "bf16";
  request.budgets = parse_budgets(options.budgets);
  request.init = options.init;
  request.out = options.out;
  request.task.data_dir = options.data_dir;
  request.task.split_seed = request.seed;
  if (run_copies(options.parallel, argc, argv)) return;
  request.parallel = options.parallel.settings;
  const TrainReport report = train(request, *rank_progress(options.parallel));
  if (request.parallel.world.rank == 0) print(report);
}

}  // namespace headroom
