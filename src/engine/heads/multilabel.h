// Several labels: the classifier's logits, a sigmoid and a threshold for each.
#pragma once

#include <memory>

#include "checkpoint/config.h"
#include "engine/heads/head.h"
#include "engine/weights.h"

namespace headroom {

// Its answers have scores, and the labels that reach their thresholds.
std::unique_ptr<const Head> make_multilabel_head(const ModelConfig& config,
                                                 const EngineWeights& weights);

}  // namespace headroom
