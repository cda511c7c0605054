// An answer in the JSON keys that every door has: predict, embed, rerank and the server.
#pragma once

#include "base/json.h"
#include "checkpoint/config.h"
#include "headroom/types.h"

namespace headroom {

// Adds what the model's output is, and nothing of what it cost. With `raw_scores` a ranking is its
// logit.
void add_answer(const ModelConfig& config, const Answer& answer, bool raw_scores, Json& json);

}  // namespace headroom
