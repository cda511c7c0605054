#include "experiments/recipe.h"

#include "experiments/record/record.h"

namespace headroom::experiments {

Json whole_recipe(const Experiment& experiment, const TaskData& data) {
  TrainRequest request;
  request.task = experiment.task;
  request.shape = experiment.shape;
  request.recipe = experiment.recipe;
  request.init = experiment.init;
  Json json = fingerprint(request, data);
  for (const char* key : {"method", "budget", "seed"}) json.erase(key);  // an arm's or a seed's own
  if (experiment.vary_split) {
    for (const char* key :
         {"split-seed", "training rows", "validation rows", "test rows", "vocabulary"}) {
      json.erase(key);
    }
    json[split_key] = "one for each seed";
  }
  json["scored budgets"] = experiment.budgets;
  json["specialists' budgets"] = experiment.specialist_budgets;
  json["rates to choose from"] = experiment.rates;
  json["mean pooling"] = experiment.mean_pooling;
  return json;
}

}  // namespace headroom::experiments
