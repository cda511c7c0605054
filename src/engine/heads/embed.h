// Vectors: the rows of the last layer pooled, through a dense layer where the model has one, and
// brought to length 1 where it asks for that.
#pragma once

#include <memory>

#include "checkpoint/config.h"
#include "engine/heads/head.h"
#include "engine/weights.h"

namespace headroom {

// Its answers have an embedding.
std::unique_ptr<const Head> make_embed_head(const ModelConfig& config,
                                            const EngineWeights& weights);

}  // namespace headroom
