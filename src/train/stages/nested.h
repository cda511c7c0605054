// Trains every budget of one checkpoint at once. Before the first step the model's heads and FFN
// neurons are stored by importance (train/unit_importance.h); then every step runs the whole model,
// the smallest budget and one random budget, each a prefix of the weights, and follows both the
// labels and the dense model it started from. ("Sandwich rule" of Yu and Huang, arXiv 1903.05134,
// with distillation over width as in DynaBERT, arXiv 2004.04037; theirs are uniform widths.)
#pragma once

#include <memory>
#include <vector>

#include "train/recipe.h"
#include "train/stages/stage.h"

namespace headroom {
inline namespace train {

// `validation` must outlive the stage; it also serves to measure importance.
std::unique_ptr<Stage> nested_stage(const StageSettings& settings, const NestedSettings& nested,
                                    const std::vector<Batch>& validation);

// A specialist: one budget of a model that has an order already, trained alone.
std::unique_ptr<Stage> specialist_stage(const StageSettings& settings, double budget,
                                        const std::vector<Batch>& validation);

}  // namespace train
}  // namespace headroom
