// POST /v1/classify: {"inputs": "…" | ["…"] | [{"text": "…", "text_pair": "…"}], "model"?,
// "budget"?, "latency_ms"?}, see docs/serving.md.
#pragma once

#include "server/api/call.h"
#include "server/api/router.h"

namespace headroom {

struct ClassifyRequest {
  std::string model;  // empty: the default one
  std::vector<CallText> texts;
  Spend spend;
};

// Throws HttpError naming the field.
ClassifyRequest parse_classify(const std::string& body, const CallLimits& limits);

Json classify_body(const ModelFacts& model, const CallAnswer& answer, double total_ms);

// `backend` outlives the route.
Route classify_route(ClassifyBackend& backend, const CallLimits& limits);

}  // namespace headroom
