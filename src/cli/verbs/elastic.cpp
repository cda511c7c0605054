// headroom elastic: gives a dense model budgets by following its own answers to texts.
#include <fmt/format.h>

#include "cli/app.h"
#include "cli/inputs/settings.h"
#include "cli/options.h"
#include "cli/outputs/scores_table.h"
#include "cli/training/training_options.h"
#include "cli/verb.h"
#include "train/make_elastic.h"
#include "train/settings.h"

namespace headroom {
namespace {

struct ElasticOptions {
  TrainRequest request = default_elastic_request();
  TrainingOptions run{"0.125,0.25,0.5,0.75,1"};
};

void add_training(CLI::App& app, Recipe& recipe) {
  const SettingOptions options(app);
  const char* group = "Training";
  visit_settings(recipe.nested, options);
  options(Setting{"epochs", "passes over the texts", group, 0.001, 1e6}, recipe.nested_epochs);
  options(Setting{"lr", "peak learning rate", group, 0, 1}, recipe.nested_rate);
  options(Setting{"batch", "texts a step", group, 1, 65536}, recipe.batch_size);
  options(Setting{"patience", "validations without improvement that end it; 0: never", group, 0,
                  no_limit},
          recipe.patience);
  options(Setting{"bf16", "on a GPU: matrix products in bf16, weights and sums in fp32", group},
          recipe.bf16);
  options(Setting{"dropout", "dropout", training_details, 0, 0.99}, recipe.dropout);
  options(Setting{"weight-decay", "on matrices", training_details, 0, 10}, recipe.weight_decay);
  options(Setting{"temperature", "of distillation", training_details, 0.01, 100},
          recipe.stages.temperature);
  app.get_option("--epochs")->default_str("chosen from the number of texts");
  app.get_option("--lr")->default_str("chosen from the size of --model");
}

void add_options(CLI::App& app, ElasticOptions& options) {
  TrainRequest& request = options.request;
  app.add_option("--model", options.run.init, "dense checkpoint, such as import writes")
      ->required();
  app.add_option("--texts", request.task.data,
                 "a file of texts, one a line (of pairs both with a tab between them), or a data "
                 "SPEC, whose labels do not matter")
      ->required();
  app.add_option("--out", options.run.out, "checkpoint directory to write")->required();
  app.add_option("--data-dir", options.run.data_dir, "where known data sets lie")->group("Data");
  app.add_option("--max-tokens", request.task.max_tokens, "longest input, special tokens included")
      ->check(CLI::Range(4, most_tokens))
      ->default_str("all that --model reads")
      ->group("Data");
  app.add_option("--validation-rows", request.task.validation_rows,
                 "texts held back; 0: a tenth, at most 2,000")
      ->check(CLI::NonNegativeNumber)
      ->group("Data");
  add_max_memory(app, request.task.max_memory,
                 "that texts may take, such as 2G; 0: what the machine has left")
      ->group("Data");
  add_training(app, request.recipe);
  add_run_options(app, request, options.run);
  add_machine_options(app, request, options.run);
}

void print_agreement(const TrainReport& report, const TrainRequest& request, bool json) {
  if (json) {
    for (const BudgetScore& score : report.scores) print_json_line(to_json(score));
    return;
  }
  print_table(scores_table(report.scores));
  fmt::print(
      "\n{}: with the answers of {} to texts held back; {} steps, {:.0f} samples/s; checkpoint: "
      "{}\n",
      measure_title(report.scores[0]), request.init.string(), report.steps,
      report.samples_per_second, request.out.string());
}

}  // namespace

int run_elastic(int argc, char** argv) {
  CLI::App app(
      "Gives a dense model, imported ones included, budgets below 1: it learns to answer with a "
      "part of its heads and neurons as it does with all of them, from texts without labels.",
      "headroom elastic");
  ElasticOptions options;
  add_options(app, options);
  return run_app(app, argc, argv, [&](bool json) {
    TrainRequest& request = options.request;
    run_training(request, options.run, argc, argv, make_elastic,
                 [&](const TrainReport& report) { print_agreement(report, request, json); });
  });
}

}  // namespace headroom
