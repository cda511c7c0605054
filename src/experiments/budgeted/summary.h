// From the records of the budgeted experiment to what people read: one JSON, one Markdown page,
// four plots.
#pragma once

#include "experiments/summary/arms.h"
#include "experiments/summary/page.h"

namespace headroom::experiments::budgeted {

// Every arm of the experiment, in the order of tables and legends.
Arms arms();

// At least one record; `timing` is a bench run with where and when it was made. Plots: accuracy.svg
// (against whole-model MACs, all arms), accuracy-close.svg (framed on the arms that hold),
// gates.svg (per layer and head at several budgets, first seed), mass.svg (mean gate against
// budget).
Page summarise(const Runs& runs, const Json& timing);

}  // namespace headroom::experiments::budgeted
