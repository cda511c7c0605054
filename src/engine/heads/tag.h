// Tags: a classifier of every token. What the tokens' scores say about words and entities is
// decided where the text is known (engine/tags/).
#pragma once

#include <memory>

#include "checkpoint/config.h"
#include "engine/heads/head.h"
#include "engine/weights.h"

namespace headroom {

// Its answers have the scores of every token, special ones included, one after the other.
std::unique_ptr<const Head> make_tag_head(const ModelConfig& config, const EngineWeights& weights);

}  // namespace headroom
