// Which heads and FFN neurons a trained model leans on, and storing it in that order.
#pragma once

#include <vector>

#include "budget/unit_order.h"
#include "model/slice.h"
#include "train/recipe.h"
#include "train/stages/elastic_model.h"

namespace headroom {
inline namespace train {

// Mean over examples of |dLoss/dgate| with every gate at 1 (Michel et al., arXiv 1905.10650,
// equation 4): how much the loss would move, to first order, if the unit faded.
struct UnitImportance {
  std::vector<std::vector<double>> heads;    // L x H
  std::vector<std::vector<double>> neurons;  // L x F
};

UnitImportance measure_importance(const ElasticModel& model, const std::vector<Batch>& batches);

// Per layer, most important first; ties keep the stored order.
UnitPermutation by_importance(const UnitImportance& importance);

// The order of a model already stored by importance; of a searched allocation the ranked one, from
// which the search starts.
UnitOrder order_for(const ModelShape& shape, const UnitImportance& sorted,
                    const NestedSettings& settings);

// Measures, stores the model's units by importance, and sets model.order. Heads that read columns
// of the input cannot change places: they keep their numbers.
void arrange_units(ElasticModel& model, const std::vector<Batch>& batches,
                   const NestedSettings& settings);

}  // namespace train
}  // namespace headroom
