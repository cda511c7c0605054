#include "experiments/recipe.h"

namespace headroom::experiments {

Json whole_recipe(const Experiment& experiment, const TaskData& data) {
  TrainRequest request;
  request.task = experiment.task;
  request.shape = experiment.shape;
  request.recipe = experiment.recipe;
  request.init = experiment.init;
  Json json = fingerprint(request, data);
  for (const char* key : {"method", "budget", "seed"}) json.erase(key);  // an arm's or a seed's own
  json["scored budgets"] = experiment.budgets;
  json["specialists' budgets"] = experiment.specialist_budgets;
  json["rates to choose from"] = experiment.rates;
  json["mean pooling"] = experiment.mean_pooling;
  return json;
}

}  // namespace headroom::experiments
