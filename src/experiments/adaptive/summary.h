// From the records of the adaptive experiment (heads chosen per input) to what people read: one
// JSON, one Markdown page, plots.
#pragma once

#include "experiments/record/record.h"
#include "experiments/summary/page.h"

namespace headroom::experiments::adaptive {

// At least one record, of which any may lack any arm. `timing` is what the engine measured with the
// kept checkpoints; {} where nothing was timed. Plots: accuracy.svg, share.svg and entropy.svg
// (over training), difficulty.svg, classes.svg, attention.svg.
Page summarise(const Runs& runs, const Json& timing);

}  // namespace headroom::experiments::adaptive
