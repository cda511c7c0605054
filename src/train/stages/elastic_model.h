// A model under training or evaluation: weights, and gates when the method has them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "budget/head_choice.h"
#include "budget/selection.h"
#include "budget/unit_order.h"
#include "checkpoint/config.h"
#include "model/forward.h"
#include "model/head_gates.h"
#include "model/weights.h"
#include "train/heads/objective.h"
#include "train/pretraining/token_detection.h"

namespace headroom {
inline namespace train {

struct ElasticModel {
  ModelShape shape;
  double dropout = 0.1;
  double layer_norm_eps = 1e-12;
  bool mean_pooling = false;  // of an experiment's model; checkpoints have none
  ModelWeights weights;
  std::shared_ptr<const Objective> objective = label_objective();
  std::optional<HeadGates> gates;
  std::optional<UnitOrder> order;           // nested: the weights are stored in this order
  double relevance_temperature = 1;         // adaptive: tau of q, where gates rank with it
  std::optional<TokenDetection> detection;  // pretraining on replaced tokens
  std::optional<BinaryHead> order_head;     // pretraining with sentence order: "swapped"

  torch::Device device() const { return weights.device(); }

  // Adaptive: what a budget leaves of the choice.
  HeadLimit head_limit(double budget) const {
    return gates ? gated_limit(gates->parameters(), budget, relevance_temperature)
                 : even_limit(shape, budget);
  }

  // Forward options without dropout, with the given (L, H) head factors or none.
  ForwardOptions evaluation(torch::Tensor head_factors = {}) const {
    return {std::move(head_factors), 0.0, layer_norm_eps, {}, mean_pooling, {}};
  }
  ForwardOptions training(torch::Tensor head_factors = {}) const {
    return {std::move(head_factors), dropout, layer_norm_eps, {}, mean_pooling, {}};
  }
};

// The 0/1 head factors of the hard selection at `budget`; undefined at budget 1.
torch::Tensor hard_mask(const ElasticModel& model, double budget);

// The weights that a nested model runs at `budget`, as views: gradients flow back.
ModelWeights at_budget(const ElasticModel& model, double budget);

// Calls `visit` for the tensors that are trained beside the weights and left behind.
void for_each_companion(ElasticModel& model,
                        const std::function<void(const std::string&, torch::Tensor&)>& visit);

// On a GPU the model in bf16, from which gradients flow back to its fp32 weights. Autocast would
// keep residuals and norms in fp32, and passes over those are most of a small model's step. On a
// CPU the model itself.
ElasticModel in_working_precision(ElasticModel model);

ElasticModel copy_model(const ElasticModel& model);

}  // namespace train
}  // namespace headroom
