// KServe's Open Inference Protocol, version 2, over REST. Texts come as the BYTES tensor "text"
// (and "text_pair"); `parameters` may hold budget, latency_target_ms and what /v1/embed and /v1/tag
// take. null is as good as absent wherever the protocol calls a field optional. With the extension
// binary_tensor_data, tensors come and go as bytes behind the JSON.
#pragma once

#include <map>

#include "server/api/call.h"
#include "server/api/router.h"

namespace headroom::server {

struct InferRequest {
  Json body;                         // which the texts of the call are part of
  std::optional<std::string> id;     // comes back with the answer, an empty one too
  Call call;                         // without the model
  std::vector<std::string> outputs;  // wanted; empty: all
  AnswerOptions options = {};
  std::vector<char> binary = {};  // behind the JSON; the texts may be part of it
  // Which outputs are wanted as bytes: those that say so, and the others.
  std::map<std::string, bool> binary_outputs = {};
  bool binary_output = false;

  bool wants_binary(const std::string& output) const;
};

// `json_length`: how many bytes of the body are JSON, as Inference-Header-Content-Length says;
// empty: all. Throws HttpError naming the field.
InferRequest parse_infer(std::string_view body, const CallLimits& limits,
                         std::string_view json_length = {});

// `answers` are one a text.
HttpResponse infer_response(const ServedModel& model, const InferRequest& request,
                            const std::vector<Answer>& answers, const CallAnswer& times);

// `backend` outlives the routes.
std::vector<Route> kserve_routes(Backend& backend, const CallLimits& limits);

}  // namespace headroom::server
