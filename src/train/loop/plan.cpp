#include "train/loop/plan.h"

#include <algorithm>
#include <cmath>

#include "train/stages/adaptive.h"
#include "train/stages/nested.h"

namespace headroom {
inline namespace train {

int64_t steps_for(double epochs, const BatchSource& source) {
  const double steps = epochs * static_cast<double>(source.steps_per_epoch());
  return std::max<int64_t>(1, std::llround(steps));
}

StagePlan plan_stage(std::unique_ptr<Stage> stage, int64_t steps, double rate, const Recipe& recipe,
                     const BatchSource& source) {
  StagePlan plan;
  plan.stage = std::move(stage);
  plan.schedule.peak = rate;
  plan.schedule.steps = steps;
  plan.schedule.warmup = std::llround(recipe.warmup * static_cast<double>(steps));
  plan.validate_every = recipe.validate_every > 0
                            ? recipe.validate_every
                            : std::max<int64_t>(1, source.steps_per_epoch() / 2);
  plan.patience = recipe.patience;
  return plan;
}

StagePlan plan_adaptive(const Recipe& recipe, const BatchSource& source,
                        const std::vector<Batch>& validation) {
  StagePlan plan =
      plan_stage(adaptive_stage(recipe.stages, recipe.adaptive, validation),
                 steps_for(recipe.adaptive_epochs, source), recipe.adaptive_rate, recipe, source);
  plan.keep_best = false;  // train/adaptive_stage.h says why
  plan.patience = 0;
  return plan;
}

std::vector<StagePlan> plan_method(Method method, const Recipe& recipe, const BatchSource& source,
                                   const std::vector<Batch>& validation) {
  std::vector<StagePlan> plans;
  if (method == Method::adaptive && recipe.dense_epochs == 0) {
    plans.push_back(plan_adaptive(recipe, source, validation));
    return plans;
  }
  plans.push_back(plan_stage(dense_stage(recipe.stages, validation),
                             steps_for(recipe.dense_epochs, source), recipe.dense_rate, recipe,
                             source));
  if (recipe.until_solved) {
    plans[0].stop_at = recipe.solved;
    plans[0].schedule.decay = false;
    plans[0].schedule.warmup = std::min<int64_t>(100, plans[0].schedule.warmup);
  }
  if (method == Method::dense) return plans;
  if (method == Method::adaptive) {
    plans.push_back(plan_adaptive(recipe, source, validation));
    return plans;
  }
  if (method == Method::nested) {
    plans.push_back(
        plan_stage(nested_stage(stage_settings(recipe, method), recipe.nested, validation),
                   steps_for(recipe.nested_epochs, source), recipe.nested_rate, recipe, source));
    return plans;
  }
  plans.push_back(plan_stage(soft_stage(recipe.stages, validation),
                             steps_for(recipe.soft_epochs, source), recipe.soft_rate, recipe,
                             source));
  plans.push_back(plan_stage(hard_stage(recipe.stages, validation),
                             steps_for(recipe.hard_epochs, source), recipe.hard_rate, recipe,
                             source));
  return plans;
}

TrainerSettings trainer_settings(const Recipe& recipe, uint64_t seed) {
  TrainerSettings settings;
  settings.seed = seed;
  settings.bf16 = recipe.bf16;
  settings.optimiser.clip_norm = recipe.clip_norm;
  settings.parameters.weight_decay = recipe.weight_decay;
  settings.parameters.gate_rate_factor = recipe.gate_rate_factor;
  settings.parameters.controller_rate_factor = recipe.controller_rate_factor;
  return settings;
}

}  // namespace train
}  // namespace headroom
