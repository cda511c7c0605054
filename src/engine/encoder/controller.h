// Chooses the heads that a layer of an adaptive model runs on one sequence, from what the sequence
// looks like at that layer (budget/head_choice.h). Always in floats: it decides, and costs little.
#pragma once

#include <cstdint>

#include "budget/head_choice.h"
#include "engine/encoder/workspace.h"
#include "engine/kernels/kernels.h"
#include "engine/plan.h"
#include "engine/weights.h"

namespace headroom {

// The residual stream holds the layer's input of `tokens` tokens. The result lies in the workspace
// until the next call.
HeadSet choose_heads(const EngineWeights& weights, int64_t layer, const HeadLimit& limit,
                     const Kernels& kernels, const Workspace& work, int64_t tokens);

}  // namespace headroom
