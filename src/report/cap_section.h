// How much of what Amdahl's law allows was measured: the part of a report that every timed model
// and experiment has. `timing` as in report/time_plot.h.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "report/html_parts.h"

namespace headroom::report {

// HTML; empty when nothing was timed.
std::string cap_section(const Json& timing);

// Adds the speed-up of one text at the timed budget nearest to one half, which papers quote.
void add_speedup(std::vector<KeyNumber>& numbers, const Json& timing);

}  // namespace headroom::report
