// KServe's messages as the requests and responses of its REST paths, whose code then does
// everything else: keys, limits, deadlines, models, errors. Tensors travel as that protocol's
// binary extension.
#pragma once

#include <grpcpp/support/status.h>

#include <optional>
#include <string>

#include "server/grpc/open_inference.pb.h"
#include "server/grpc/outline.h"
#include "server/http/message.h"

namespace headroom {

// What is known of a call besides its message.
struct GrpcCaller {
  std::string authorization;
  std::string client;             // HttpHead::client
  std::optional<double> left_ms;  // until its deadline; none: it has none
  std::string priority = {};      // HttpHead::priority
  std::string request_id = {};
  std::string traceparent = {};
};

HttpHead head_of(const GrpcCaller& caller, const char* method, std::string target);

// GET `path`, or, where a model is named, "/v2/models/NAME[/versions/VERSION]" + `path`.
HttpRequest get_request(const GrpcCaller& caller, const std::string& path);
// `field` is what messages call the name. Throws HttpErrorCode::bad_request when it is empty.
HttpRequest get_request(const GrpcCaller& caller, const std::string& model,
                        const std::string& version, const std::string& path);

// What is known of a message before it is made of its bytes: enough to refuse it. Throws
// HttpErrorCode::bad_request when it names no model.
HttpRequest infer_request(const GrpcCaller& caller, const InferOutline& outline);

// The rest of it. Its latency_target_ms is what it asks for, otherwise `slo_ms`, but no more than
// its deadline: clients set long ones to be safe, which asks for no patience. Numbers that it
// spends may be texts ("0.5"): InferParameter had no double_param for long. Throws
// HttpErrorCode::bad_request, or deadline_unreachable for a deadline that has passed.
void add_body(const GrpcCaller& caller, const inference::ModelInferRequest& message,
              std::optional<double> slo_ms, HttpRequest& request);

// Whether outputs go into raw_output_contents: as inputs came, unless binary_data_output says it.
bool wants_raw_outputs(const inference::ModelInferRequest& message);

// OK of a response that is an answer, otherwise the code and the message of its error.
grpc::Status status_of(const HttpResponse& response);

// What successful responses say, in their message.
void read_response(const HttpResponse& response, inference::ServerLiveResponse& message);
void read_response(const HttpResponse& response, inference::ServerReadyResponse& message);
void read_response(const HttpResponse& response, inference::ModelReadyResponse& message);
void read_response(const HttpResponse& response, inference::ServerMetadataResponse& message);
void read_response(const HttpResponse& response, inference::ModelMetadataResponse& message);
void read_response(const HttpResponse& response, bool raw_outputs,
                   inference::ModelInferResponse& message);

}  // namespace headroom
