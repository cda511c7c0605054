// From a recipe to the stages of a method, with their steps and schedules.
#pragma once

#include <memory>
#include <vector>

#include "train/loop/trainer.h"
#include "train/recipe.h"
#include "train/stages/stages.h"

namespace headroom {
inline namespace train {

int64_t steps_for(double epochs, const BatchSource& source);

// One stage's plan with the recipe's warm-up, validation and patience.
StagePlan plan_stage(std::unique_ptr<Stage> stage, int64_t steps, double rate, const Recipe& recipe,
                     const BatchSource& source);

// The stage of an adaptive model, which runs to its end.
StagePlan plan_adaptive(const Recipe& recipe, const BatchSource& source,
                        const std::vector<Batch>& validation);

// The stages of a method, in order. An adaptive model without dense epochs has one.
std::vector<StagePlan> plan_method(Method method, const Recipe& recipe, const BatchSource& source,
                                   const std::vector<Batch>& validation);

TrainerSettings trainer_settings(const Recipe& recipe, uint64_t seed);

}  // namespace train
}  // namespace headroom
