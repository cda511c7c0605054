// What a selection costs. Four numbers that are never mixed: gate mass (budget/gates.h, a soft
// estimate), attention MACs, whole-model MACs, measured time (bench). MAC = one multiply-add of a
// matrix product; biases, softmax, normalisation and table look-ups are not counted.
#pragma once

#include <cstdint>
#include <vector>

#include "budget/selection.h"
#include "budget/shape.h"

namespace headroom {

struct Cost {
  // Projections, scores and weighted sums of the kept heads; controllers.
  double attention_macs = 0;
  double model_macs = 0;  // attention + FFN of every layer, patches, output head
};

// One head on one input of `tokens` tokens: its projections, scores and weighted sums, and its
// share of the mixing of values where the attention has one.
double head_macs(const ModelShape& shape, int64_t tokens);

// One layer's controller on one input: the mean over tokens and its three matrices. 0 without one.
double controller_macs(const ModelShape& shape, int64_t tokens);

// One input of `tokens` tokens.
Cost cost_of(const ModelShape& shape, const Selection& selection, int64_t tokens);

// The same where the model chose: `heads` of them over all layers, and every FFN whole.
Cost cost_of_heads(const ModelShape& shape, int64_t heads, int64_t tokens);

// Every head, and no controller to choose among them: what shares of dense refer to.
Cost dense_cost(const ModelShape& shape, int64_t tokens);
Cost mean_dense_cost(const ModelShape& shape, const std::vector<int64_t>& lengths);

// One layer's attention in the accounting that fits the savings published for BudgetFormer
// (docs/adaptive.md): only scores and weighted sums shrink, by the real number `share` and not by
// whole heads, while the four projections stay; controller included.
double published_attention_macs(const ModelShape& shape, double share, int64_t tokens);

// One sentence of `source` tokens translated into `target` tokens, each target token predicted from
// those before it at once, as in training.
Cost translation_cost(const ModelShape& shape, int64_t source, int64_t target);

// Mean over inputs of the given lengths.
Cost mean_cost(const ModelShape& shape, const Selection& selection,
               const std::vector<int64_t>& lengths);

// Parameters that remain when the other heads are physically removed.
int64_t parameter_count(const ModelShape& shape, const Selection& selection);
int64_t attention_parameter_count(const ModelShape& shape, const Selection& selection);

// Amdahl's bound: how much faster than dense this selection could be if time followed MACs.
double speedup_cap(const ModelShape& shape, const Selection& selection, int64_t tokens);

}  // namespace headroom
