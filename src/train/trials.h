// The trials of --minutes: recipes tried on the dense stage, kept beside the output so that a run
// that was stopped goes on.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/progress.h"
#include "train/loop/trainer.h"
#include "train/recipe_search.h"
#include "train/rows/task_data.h"
#include "train/stages/elastic_model.h"
#include "train/train_model.h"

namespace headroom {
inline namespace train {

// Of --minutes, what trials may take; the rest is for the stages of the method.
inline constexpr double trials_share = 1.0 / 3;

// A model to begin with, whose dropout is the recipe's.
using FreshModel = std::function<ElasticModel(const Recipe& recipe)>;

// What trials need to know about the run.
struct TrialRun {
  const TrainRequest& request;
  const TaskData& data;
  const std::vector<Batch>& validation;
  FreshModel fresh_model;
  std::filesystem::path state_directory;  // OUT.training
};

// Finds a recipe by trials, those of a saved file first, and tells what was tried. Throws
// ErrorCode::usage when the file was made by another run, and ErrorCode::interrupted when it is
// stopped: the trials before are saved.
SearchResult find_recipe(const TrialRun& run, const Recipe& first, ProgressSink& progress);

// Lines of train_log.jsonl.
std::string trials_log(const SearchResult& search);

// Limits every stage of the run that follows to its part of `seconds`.
void share_time(double seconds, std::vector<StagePlan>& plans);

}  // namespace train
}  // namespace headroom
