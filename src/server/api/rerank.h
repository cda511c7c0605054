// POST /v1/rerank: {"query": "…", "inputs": ["…"], "model"?, "budget"?, "latency_ms"?, "top"?,
// "raw_scores"?}. The passages, best first; other servers' names for them, "texts" and "documents",
// are understood.
#pragma once

#include <string_view>
#include <vector>

#include "server/api/call.h"
#include "server/api/router.h"

namespace headroom::server {

struct RerankRequest {
  Json body;  // which query and passages are part of
  Call call;  // without texts; its model is empty for the default one
  std::string_view query;
  std::vector<std::string_view> passages;
  size_t top = 0;  // 0: all
  bool raw_scores = false;
};

// Throws HttpError naming the field.
RerankRequest parse_rerank(const std::string& body, const CallLimits& limits);

// `backend` outlives the route.
Route rerank_route(Backend& backend, const CallLimits& limits);

}  // namespace headroom::server
