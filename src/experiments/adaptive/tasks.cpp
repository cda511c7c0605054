// The sizes and recipes of the named tasks of the adaptive experiment.
#include <fmt/format.h>

#include "base/error.h"
#include "experiments/adaptive/experiment.h"

namespace headroom::experiments::adaptive {
namespace {

void shrink_adaptive(Experiment& experiment) {
  experiment.task.train_rows = 600;
  experiment.task.validation_rows = 100;
  experiment.task.max_tokens = 32;
  experiment.task.vocabulary_size = 4000;
  experiment.shape.layers = 2;
  experiment.shape.width = 32;
  experiment.shape.heads = 4;
  experiment.shape.ffn = 64;
  experiment.recipe.dense_epochs = 1;
}

}  // namespace

Experiment describe(const std::string& task, bool quick) {
  Experiment experiment;
  experiment.name = "adaptive";
  experiment.task_name = task;
  experiment.task.data = task;
  experiment.task.eval_data = task + ":test";
  experiment.recipe = default_recipe(Task::classify);
  experiment.recipe.batch_size = 64;
  experiment.shape = default_shape(Task::classify);
  experiment.rates = {5e-4, 1e-3};
  if (task == "agnews" || task == "yelp") {
    experiment.recipe.batch_size = 128;
    experiment.recipe.dense_epochs = 3;
    experiment.task.train_rows = task == "yelp" ? 32000 : 0;
  } else if (task == "imdb") {
    experiment.task.max_tokens = 256;
    experiment.recipe.batch_size = 128;
    experiment.recipe.dense_epochs = 4;
  } else if (task == "dbpedia" || task == "snli") {
    experiment.recipe.dense_epochs = 6;
  } else if (task == "sick") {
    experiment.recipe.dense_epochs = 12;
  } else {
    throw Error(
        ErrorCode::usage, "reproduce",
        fmt::format("--task {} is not part of this experiment: agnews, imdb, dbpedia, sick, "
                    "snli or yelp",
                    task));
  }
  if (quick) shrink_adaptive(experiment);
  return experiment;
}

}  // namespace headroom::experiments::adaptive
