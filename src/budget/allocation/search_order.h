// Searches the order in which a nested model's units come alive, by what it loses at a few budgets.
// Everything it tries is an order, so that its selections are nested and cost what a budget allows:
//
// 1. From the whole model down, budget by budget: what the loss gains when one layer keeps half of
//    its heads (or FFN groups) or a single one, then the best counts if these added up
//    (best_counts.h). Measured anew at every budget: what a layer can spare depends on what the
//    others still have.
// 2. That order, the uniform one and a given one, and each pair of them joined at each budget.
// 3. The best of these, changed at random around a budget, as long as that helps.
//
// What it returns loses no more than the uniform order at any of the budgets, and less in the mean
// where anything better was seen.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/random.h"
#include "budget/unit_order.h"

namespace headroom {

// The loss with these units alone; always the same for the same selection.
using SelectionLoss = std::function<double(const Selection&)>;

struct SearchedBudget {
  double budget = 0;
  double loss = 0;
  double uniform_loss = 0;
};

struct SearchedOrder {
  UnitOrder order;
  std::vector<SearchedBudget> budgets;
  int64_t evaluations = 0;
};

// `start` is an order that may be better than the uniform one; like that it begins with one unit of
// each kind in every layer, which all selections keep. Of `budgets`, ascending, those are searched
// that leave a choice.
SearchedOrder search_order(const ModelShape& shape, const UnitOrder& start,
                           const std::vector<double>& budgets, const SelectionLoss& loss,
                           Random& random);

// The most selections that it asks about.
int64_t most_evaluations(const ModelShape& shape, const UnitOrder& start,
                         const std::vector<double>& budgets);

}  // namespace headroom
