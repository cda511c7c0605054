// The six calls of KServe's protocol: each becomes a request to the handler, whose response becomes
// the call's answer, at once or later, from any thread.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "server/grpc/messages.h"
#include "server/grpc/open_inference.grpc.pb.h"
#include "server/http/handler.h"

namespace headroom {

// ModelInfer gets its bytes, for gRPC would make a message of any number of parts before it asks.
using Protocol = inference::GRPCInferenceService;
using ProtocolCalls = Protocol::WithCallbackMethod_ServerLive<
    Protocol::WithCallbackMethod_ServerReady<Protocol::WithCallbackMethod_ModelReady<
        Protocol::WithCallbackMethod_ServerMetadata<Protocol::WithCallbackMethod_ModelMetadata<
            Protocol::WithRawCallbackMethod_ModelInfer<Protocol::Service>>>>>>;

class InferenceService final : public ProtocolCalls {
 public:
  // `most_texts` are those of one request; `slo_ms` is what calls without a deadline of their own
  // get.
  InferenceService(HttpHandler& handler, int64_t most_texts, std::optional<double> slo_ms)
      : handler_(handler), most_texts_(most_texts), slo_ms_(slo_ms) {}

  // From now on calls that are cancelled count as cut.
  void begin_stopping() { stopping_ = true; }
  int64_t cut() const { return cut_; }

  using Context = grpc::CallbackServerContext;
  using Reactor = grpc::ServerUnaryReactor;

  Reactor* ServerLive(Context* context, const inference::ServerLiveRequest* request,
                      inference::ServerLiveResponse* response) override;
  Reactor* ServerReady(Context* context, const inference::ServerReadyRequest* request,
                       inference::ServerReadyResponse* response) override;
  Reactor* ModelReady(Context* context, const inference::ModelReadyRequest* request,
                      inference::ModelReadyResponse* response) override;
  Reactor* ServerMetadata(Context* context, const inference::ServerMetadataRequest* request,
                          inference::ServerMetadataResponse* response) override;
  Reactor* ModelMetadata(Context* context, const inference::ModelMetadataRequest* request,
                         inference::ModelMetadataResponse* response) override;
  Reactor* ModelInfer(Context* context, const grpc::ByteBuffer* request,
                      grpc::ByteBuffer* response) override;

 private:
  class HandledCall;
  using MakeRequest = std::function<HttpRequest(const GrpcCaller& caller)>;
  // What is only made of a request that the handler would not refuse without it.
  using AddBody = std::function<void(const GrpcCaller& caller, HttpRequest& request)>;
  // Into the call's own message, which lives until the call ends.
  using ReadResponse = std::function<void(const HttpResponse& response)>;

  Reactor* handle(Context& context, const MakeRequest& make, ReadResponse read,
                  const AddBody& add = {});

  HttpHandler& handler_;
  const int64_t most_texts_;
  const std::optional<double> slo_ms_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int64_t> cut_ = 0;
};

}  // namespace headroom
