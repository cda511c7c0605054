// The figures that only the budgeted experiment has: what its gates learned. And its accuracy plot.
#pragma once

#include <string>
#include <vector>

#include "experiments/arms.h"

namespace headroom {

// The arms that select heads: soft gates do not, so their points have other costs.
std::vector<Arm> hard_arms(Arms arms);

// `close` frames the arms that hold their accuracy; those that collapse run off its bottom.
std::string budgeted_accuracy_plot(const Runs& runs, Arms arms, const std::vector<double>& budgets,
                                   bool close);

// The gates per layer and head at several budgets.
std::string budgeted_gate_plot(const Json& run);

// The mean gate against the budget, every seed.
std::string budgeted_mass_plot(const Runs& runs);

}  // namespace headroom
