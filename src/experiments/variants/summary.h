// The page of the variants experiment: every kind of attention on one task, with intervals, paired
// differences from Standard, sizes, MACs and measured time.
#pragma once

#include "base/table.h"
#include "experiments/summary/arms.h"
#include "experiments/summary/page.h"

namespace headroom::experiments::variants {

// Every arm of the experiment, in the order of tables and legends.
Arms arms();

// `timing` is what bench_attention() measured: {date, machine, cells}, or {}. Plots: scores.svg
// (against attention parameters), macs.svg (over Standard's, against tokens over width),
// latency.svg (the same with measured time).
Page summarise(const Runs& runs, const Json& timing);

// Of the page; the second is without rows when nothing was timed.
Table score_table(const Runs& runs);
Table time_table(const Json& timing);

}  // namespace headroom::experiments::variants
