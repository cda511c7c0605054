// Where a forward pass spends its time: every call of a kernel timed.
#pragma once

#include <cstdint>
#include <vector>

#include "base/table.h"
#include "engine/model.h"

namespace headroom {

// One text of `tokens` tokens at budget 1; a table for each quantile. The parts' times are means
// over the tenth of the passes around that quantile of all, sorted by their time, so that they
// belong together on a machine whose speed changes: 0.5 is an ordinary pass, 0.05 a fast one.
std::vector<Table> measure_parts(const EngineModel& model, int64_t tokens, int passes,
                                 const std::vector<double>& quantiles);

}  // namespace headroom
