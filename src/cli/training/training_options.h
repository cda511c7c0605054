// What `train` and `elastic` share: the options of a run, and the run itself.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <utility>

#include "base/progress.h"
#include "cli/options.h"
#include "cli/training/parallel.h"
#include "train/train_model.h"

namespace headroom {

struct TrainingOptions {
  explicit TrainingOptions(std::string default_budgets) : budgets(std::move(default_budgets)) {}

  std::string data_dir = default_data_dir();
  std::string init;
  std::string out;
  std::string weights = "fp32";
  std::string budgets;
  ParallelOptions parallel;
};

// --resume, --restart, --save-seconds, --weights and --budgets.
void add_run_options(CLI::App& app, TrainRequest& request, TrainingOptions& options);

// --seed, --threads, --device and those of several processes.
void add_machine_options(CLI::App& app, TrainRequest& request, TrainingOptions& options);

// Completes the request from the options and trains, in copies of this process where --nproc asks
// for them; the first process prints. Throws ErrorCode::usage for options that contradict.
void run_training(TrainRequest& request, TrainingOptions& options, int argc, char** argv,
                  const std::function<TrainReport(const TrainRequest&, ProgressSink&)>& train,
                  const std::function<void(const TrainReport&)>& print);

}  // namespace headroom
