// POST /v1/classify: {"inputs": "…" | ["…"] | [{"text": "…", "text_pair": "…"}], "model"?,
// "budget"?, "latency_ms"?}, see docs/serving.md. A label, several labels or a score a text.
#pragma once

#include "server/api/texts.h"

namespace headroom::server {

// Throws HttpError naming the field.
TextsRequest parse_classify(const std::string& body, const CallLimits& limits);

// `backend` outlives the route.
Route classify_route(Backend& backend, const CallLimits& limits);

}  // namespace headroom::server
