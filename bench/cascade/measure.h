// One model, measured: accuracy and time of flat budgets, of ladders that were fitted to validation
// rows, and of peers, on test rows; how often the promise of `tune` breaks; calibration errors.
#pragma once

#include "base/json.h"
#include "cascade/options.h"

namespace headroom {

Json measure_cascade(const CascadeOptions& options);

}  // namespace headroom
