// OpenAI's POST /v1/embeddings: {"input": "…" | ["…"] | [ids] | [[ids]], "model"?, "dimensions"?,
// "encoding_format"?: "float" | "base64", "user"?}, and of ours "budget", "latency_ms" and
// "prompt".
#pragma once

#include "server/api/call.h"

namespace headroom::server {

// `backend` outlives the routes.
std::vector<Route> openai_routes(Backend& backend, const CallLimits& limits);

}  // namespace headroom::server
