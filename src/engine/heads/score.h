// One score: a classifier with one output, which is a number, or with a sigmoid behind it a
// ranking.
#pragma once

#include <memory>

#include "checkpoint/config.h"
#include "engine/heads/head.h"
#include "engine/weights.h"

namespace headroom {

// Their answers have a score; of a ranking also the logit that it comes from.
std::unique_ptr<const Head> make_number_head(const ModelConfig& config,
                                             const EngineWeights& weights);
std::unique_ptr<const Head> make_ranking_head(const ModelConfig& config,
                                              const EngineWeights& weights);

}  // namespace headroom
