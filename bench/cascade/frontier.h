// The picture of a group of runs: accuracy against microseconds a text, on a logarithmic axis.
#pragma once

#include <string>

#include "cascade/summary.h"

namespace headroom {

std::string draw_frontier(const RunGroup& group);

// "AG News" of agnews.
std::string set_title(const std::string& data);

}  // namespace headroom
