// Classification: pooler, classifier and softmax over the [CLS] row.
#pragma once

#include <memory>

#include "checkpoint/config.h"
#include "engine/heads/head.h"
#include "engine/weights.h"

namespace headroom {

// Its answers have a label and scores. Scores that are not finite are ErrorCode::bad_model.
std::unique_ptr<const Head> make_classify_head(const ModelConfig& config,
                                               const EngineWeights& weights);

}  // namespace headroom
