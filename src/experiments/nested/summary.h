// From the records of the nested experiment (one checkpoint whose budget governs heads and FFN
// groups) to what people read: one JSON, one Markdown page, three plots.
#pragma once

#include "experiments/summary/arms.h"
#include "experiments/summary/page.h"

namespace headroom::experiments::nested {

// Every arm of the experiment, in the order of tables and legends.
Arms arms();

// At least one record, of which any may lack any arm. `timing` is a bench run of the first one's
// selections with where and when it was made; {} where nothing was timed. Ours is the arm that the
// first record names as `default_arm`, else "nested". Plots: accuracy.svg (against whole-model
// MACs, all arms), accuracy-time.svg (our arm and dense against the measured time of one text),
// alive.svg (when each head and FFN group comes alive, first seed).
Page summarise(const Runs& runs, const Json& timing);

}  // namespace headroom::experiments::nested
