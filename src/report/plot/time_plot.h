// What measured time adds to the picture: speed-ups beside the cap that Amdahl's law puts on them.
// `timing` is a bench run with where and when it was made (timing.json); {} where nothing was
// timed.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/table.h"
#include "report/plot/line_plot.h"

namespace headroom::report {

// The cells of one text, of the longest length that was timed so.
std::vector<Json> single_text_cells(const Json& timing);

// "one text of 128 tokens, torch engine on AMD EPYC, threads: 1"
std::string describe_timing(const Json& timing);

// Speed-up over budget 1 for every batch size and length, with the cap of every length. No series
// when nothing was timed.
LinePlot speedup_plot(const Json& timing);

// A row per cell: median time, speed-up, its cap and how much of it was reached.
Table timing_table(const Json& timing);

}  // namespace headroom::report
