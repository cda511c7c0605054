// What an experiment runs: a task, a model, a recipe, and the budgets to score. No torch here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "budget/shape.h"
#include "train/recipe.h"
#include "train/rows/task_request.h"

namespace headroom::experiments {

struct Experiment {
  std::string name;       // "budgeted", "nested", "variants"
  std::string task_name;  // "synthetic", "agnews", ...
  TaskRequest task;
  ModelShape shape;
  Recipe recipe;
  std::vector<double> budgets;             // scored
  std::vector<double> specialist_budgets;  // a model of its own is trained for each
  std::vector<double> rates;               // learning rates to choose from on validation rows
  std::filesystem::path init;              // pretrained checkpoint; empty: fresh weights
  std::vector<std::string> arms;           // run only these; empty: all
  bool vary_split = false;                 // every seed sets other validation rows aside
  bool mean_pooling = false;               // classify the mean over tokens, not the [CLS] row
  std::string options;                     // what differs from the task's own, each after a blank
  std::string device = "cpu";
  int threads = 0;
};

}  // namespace headroom::experiments
