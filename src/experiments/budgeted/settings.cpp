// The sizes and recipes of the named tasks of the budgeted experiment.
#include <fmt/format.h>

#include "base/error.h"
#include "experiments/budgeted/experiment.h"

namespace headroom::experiments::budgeted {
namespace {

constexpr const char* hard_task = "synthetic-hard";

// A head for each of four distances, and one to fetch the answer: 5 heads of 16, which a budget of
// 0.3 keeps. 0.125 keeps one a layer.
void set_hard(Experiment& experiment) {
  experiment.shape.heads = 8;
  experiment.recipe.solved = 0.98;  // after about 3,000 steps; falling rates do the rest
  experiment.budgets = {0.125, 0.3, 0.5, 0.75, 1.0};
  experiment.specialist_budgets = {0.125, 0.3, 0.5};
}

void shrink(Experiment& experiment) {
  if (experiment.task.task == Task::synthetic) {
    experiment.task.data += "?tokens=32&decoys=2";
    if (experiment.task_name == hard_task) experiment.recipe.dense_epochs = 1;
    return;
  }
  experiment.task.train_rows = 2000;
  experiment.task.validation_rows = 200;
  experiment.shape.layers = 2;
  experiment.shape.width = 64;
  experiment.shape.heads = 4;
  experiment.shape.ffn = 128;
  experiment.recipe.dense_epochs = 2;
  experiment.recipe.soft_epochs = 1;
}

}  // namespace

Experiment describe(const std::string& task, bool quick) {
  Experiment experiment;
  experiment.name = "budgeted";
  experiment.task_name = task;
  if (task == "synthetic" || task == hard_task) {
    experiment.task.task = Task::synthetic;
    experiment.task.data = task;
    experiment.recipe = default_recipe(Task::synthetic);
    experiment.shape = default_shape(Task::synthetic);
    experiment.budgets = {0.25, 0.3, 0.5, 0.75, 1.0};
    experiment.specialist_budgets = {0.3, 0.5};
    if (task == hard_task) set_hard(experiment);
  } else if (task == "agnews" || task == "dbpedia" || task == "imdb") {
    experiment.task.data = task;
    experiment.task.eval_data = task + ":test";
    experiment.task.max_tokens = task == "imdb" ? 256 : 64;
    experiment.task.validation_rows = task == "dbpedia" ? 1400 : 2000;
    experiment.recipe = default_recipe(Task::classify);
    experiment.recipe.batch_size = 64;
    experiment.shape = default_shape(Task::classify);
    experiment.budgets = {0.125, 0.25, 0.5, 0.75, 1.0};
    experiment.specialist_budgets = {0.25, 0.5, 0.75};
  } else {
    throw Error(
        ErrorCode::usage, "reproduce",
        fmt::format("--task {} is not part of this experiment: synthetic, synthetic-hard, agnews, "
                    "dbpedia or imdb",
                    task));
  }
  if (quick) shrink(experiment);
  return experiment;
}

}  // namespace headroom::experiments::budgeted
