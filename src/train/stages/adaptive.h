// Trains a model to choose heads per input (BudgetFormer, arXiv 2604.22583): first all heads with
// soft factors and noisy relevance, later whole heads only.
//
//   m = min(1, H * s * q)                  soft factors of a layer's heads; their sum aims at s * H
//   m = top-k(q) + m - stop_gradient(m)    hard ones, in a growing share of the examples
//   loss = task - entropy_weight * H(q) + hinge_weight * (s outside its interval) + share_weight *
//   s
//
// with the last three as means over layers and examples. The final weights are kept, not those that
// validated best: an earlier model had not yet paid for its heads.
#pragma once

#include <memory>
#include <vector>

#include "train/recipe.h"
#include "train/stages/stage.h"

namespace headroom {
inline namespace train {

// The part of the loss that controllers add: s (B) and log q (B, H) of every layer.
torch::Tensor choice_penalty(const std::vector<torch::Tensor>& shares,
                             const std::vector<torch::Tensor>& log_relevance,
                             const AdaptiveSettings& settings, double progress);

// The model must have controllers; where it has gates, too, every step draws a budget that caps the
// choice. `validation` must outlive the stage.
std::unique_ptr<Stage> adaptive_stage(const StageSettings& settings,
                                      const AdaptiveSettings& adaptive,
                                      const std::vector<Batch>& validation);

// Every controller asks for `share` of the heads, whatever it reads.
void set_initial_share(ModelWeights& weights, double share);

}  // namespace train
}  // namespace headroom
