// The least budget of a model: what is smaller runs this one all the same, and is told as it.
#pragma once

#include "checkpoint/config.h"

namespace headroom {

// Rounded up to four digits; 0 of a dense model.
double least_budget(const ModelConfig& config);

}  // namespace headroom
