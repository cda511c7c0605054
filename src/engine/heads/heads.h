// The head of each task that the engine runs.
#pragma once

#include <memory>

#include "checkpoint/config.h"
#include "engine/heads/head.h"
#include "engine/weights.h"

namespace headroom {

// `config` and `weights` must outlive the head. Throws ErrorCode::usage for a task without a head.
std::unique_ptr<const Head> make_head(const ModelConfig& config, const EngineWeights& weights);

}  // namespace headroom
