// --allocation searched: how a nested budget is spread over layers, tried out before training.
#pragma once

#include <vector>

#include "base/progress.h"
#include "base/random.h"
#include "train/recipe.h"
#include "train/stages/elastic_model.h"

namespace headroom {
inline namespace train {

// Of rows, whole batches evenly spread over those of all lengths: at most these, or one batch.
inline constexpr int64_t most_searched_rows = 512;
std::vector<Batch> searched_batches(const std::vector<Batch>& batches);

// Sets model.order to the one that loses least over the settings' budget grid, in the loss that the
// nested stage minimises; the model is stored by importance already, and its order is one that the
// search starts from (budget/allocation/search_order.h). Tells how many selections were tried.
void search_allocation(ElasticModel& model, const std::vector<Batch>& validation,
                       const StageSettings& settings, Random& random, ProgressSink& progress);

}  // namespace train
}  // namespace headroom
