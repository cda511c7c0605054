// Accuracy of the nested experiment's arms against compute and against measured time.
#pragma once

#include <string>
#include <vector>

#include "experiments/arms.h"

namespace headroom {

// All arms with known MACs; fastText, which has none, is a line across, as is the level of dense.
// Framed so that arms that stay near `ours` can be told apart: what collapses runs off the bottom.
// Empty without any point.
std::string nested_accuracy_plot(const Runs& runs, const Arm& ours, Arms arms,
                                 const std::vector<double>& budgets);

// `ours` at its budgets and dense, over the time of one text of the longest length in `timing`.
// Empty when no budget was both scored and timed so.
std::string nested_time_plot(const Runs& runs, const Arm& ours, const Json& timing);

}  // namespace headroom
