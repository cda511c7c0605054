// The stages of Budgeted Attention Allocation (arXiv 2605.05697) and of its baselines.
//   dense  -> every head, no gates                               (warm start, dense control)
//   soft   -> gates g(b) at a random budget, mass and overshoot penalties
//   hard   -> straight-through top-K masks, distilled from the soft model
//   masked -> one fixed selection                                (recovery epoch of a specialist)
//   ordered-> hard masks of a fixed order, distilled from dense  (random-heads control)
//   dropped-> dense, with whole heads dropped at random          (control of adaptive models)
#pragma once

#include <memory>
#include <vector>

#include "budget/order.h"
#include "train/recipe.h"
#include "train/stages/stage.h"

namespace headroom {
inline namespace train {

// A budget for one step: with probability 1/2 uniform on [low, 1], otherwise from the grid.
double draw_budget(const StageSettings& settings, Random& random);

// `validation` must outlive the stage.
std::unique_ptr<Stage> dense_stage(const StageSettings& settings,
                                   const std::vector<Batch>& validation);
std::unique_ptr<Stage> soft_stage(const StageSettings& settings,
                                  const std::vector<Batch>& validation);
std::unique_ptr<Stage> hard_stage(const StageSettings& settings,
                                  const std::vector<Batch>& validation);
std::unique_ptr<Stage> masked_stage(const StageSettings& settings, Selection selection,
                                    const std::vector<Batch>& validation);
std::unique_ptr<Stage> ordered_stage(const StageSettings& settings, HeadOrder order,
                                     const std::vector<Batch>& validation);

// Every head of every example is dropped with this probability, the others scaled up for it.
std::unique_ptr<Stage> head_dropout_stage(const StageSettings& settings, double probability,
                                          const std::vector<Batch>& validation);

}  // namespace train
}  // namespace headroom
