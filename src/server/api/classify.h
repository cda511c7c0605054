// POST /v1/classify: {"inputs": "…" | ["…"] | [{"text": "…", "text_pair": "…"}], "model"?,
// "budget"?, "latency_ms"?}, see docs/serving.md.
#pragma once

#include "server/api/call.h"
#include "server/api/router.h"

namespace headroom::server {

struct ClassifyRequest {
  Json body;  // which the texts of the call are part of
  Call call;  // its model is empty for the default one
};

// Throws HttpError naming the field.
ClassifyRequest parse_classify(const std::string& body, const CallLimits& limits);

Json classify_body(const ServedModel& model, const CallAnswer& answer, double total_ms);

// `backend` outlives the route.
Route classify_route(Backend& backend, const CallLimits& limits);

}  // namespace headroom::server
