// Where a forward pass spends its time: every call of a kernel timed, beside the least it would
// take if one thing alone bound it, at rates measured on this core: its multiply-adds (tiles, or
// vectors), the vector instructions around them, weights from wherever the model's fit, activations
// from L2.
#pragma once

#include <cstdint>
#include <vector>

#include "base/json.h"
#include "base/table.h"
#include "engine/model.h"

namespace headroom {

// One text of `tokens` tokens at budget 1; a table for each quantile. The parts' times are means
// over the tenth of the passes around that quantile of all, sorted by their time, so that they
// belong together on a machine whose speed changes: 0.5 is an ordinary pass, 0.05 a fast one.
struct PartsOfPass {
  Table table;
  Json json;
};
std::vector<PartsOfPass> measure_parts(const EngineModel& model, int64_t tokens, int passes,
                                       const std::vector<double>& quantiles);

}  // namespace headroom
