// KServe's Open Inference Protocol, version 2, over REST. Texts come as the BYTES tensor "text"
// (and "text_pair"); `parameters` may hold budget and latency_target_ms.
#pragma once

#include "server/api/call.h"
#include "server/api/router.h"

namespace headroom {

struct InferRequest {
  std::string id;  // empty: none was given
  std::vector<CallText> texts;
  Spend spend;
  std::vector<std::string> outputs;  // wanted; empty: all
};

// Throws HttpError naming the field.
InferRequest parse_infer(const std::string& body, const CallLimits& limits);

Json infer_body(const ModelFacts& model, const InferRequest& request, const CallAnswer& answer);

// `backend` outlives the routes.
std::vector<Route> kserve_routes(ClassifyBackend& backend, const CallLimits& limits);

}  // namespace headroom
