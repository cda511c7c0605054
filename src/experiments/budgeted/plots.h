// The figures that only the budgeted experiment has: what its gates learned. And its accuracy plot.
#pragma once

#include <string>
#include <vector>

#include "experiments/summary/arms.h"

namespace headroom::experiments::budgeted {

// The arms that select heads: soft gates do not, so their points have other costs.
std::vector<Arm> hard_arms(Arms arms);

// `close` frames the arms that hold their accuracy; those that collapse run off its bottom.
std::string accuracy_plot(const Runs& runs, const std::vector<double>& budgets, bool close);

// The gates per layer and head at several budgets.
std::string gate_plot(const Record& run);

// The mean gate against the budget, every seed; empty where none stored it.
std::string mass_plot(const Runs& runs);

}  // namespace headroom::experiments::budgeted
