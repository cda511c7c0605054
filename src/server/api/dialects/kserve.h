// KServe's Open Inference Protocol, version 2, over REST. Texts come as the BYTES tensor "text"
// (and "text_pair"); `parameters` may hold budget, latency_target_ms and what /v1/embed and /v1/tag
// take. null is as good as absent wherever the protocol calls a field optional.
#pragma once

#include "server/api/call.h"
#include "server/api/router.h"

namespace headroom::server {

struct InferRequest {
  Json body;                         // which the texts of the call are part of
  std::optional<std::string> id;     // comes back with the answer, an empty one too
  Call call;                         // without the model
  std::vector<std::string> outputs;  // wanted; empty: all
  AnswerOptions options = {};
};

// Throws HttpError naming the field.
InferRequest parse_infer(const std::string& body, const CallLimits& limits);

// `answers` are one a text.
Json infer_body(const ServedModel& model, const InferRequest& request,
                const std::vector<Answer>& answers, const CallAnswer& times);

// `backend` outlives the routes.
std::vector<Route> kserve_routes(Backend& backend, const CallLimits& limits);

}  // namespace headroom::server
