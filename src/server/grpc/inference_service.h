// The six calls of KServe's protocol: each becomes a request to the handler, whose response becomes
// the call's answer, at once or later, from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "server/grpc/messages.h"
#include "server/grpc/open_inference.grpc.pb.h"
#include "server/http/handler.h"

namespace headroom {

class InferenceService final : public inference::GRPCInferenceService::CallbackService {
 public:
  explicit InferenceService(HttpHandler& handler) : handler_(handler) {}

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
  Reactor* ModelInfer(Context* context, const inference::ModelInferRequest* request,
                      inference::ModelInferResponse* response) override;

 private:
  class HandledCall;
  using MakeRequest = std::function<HttpRequest(const GrpcCaller& caller)>;
  // Into the call's own message, which lives until the call ends.
  using ReadResponse = std::function<void(const HttpResponse& response)>;

  Reactor* handle(Context& context, const MakeRequest& make, ReadResponse read);

  HttpHandler& handler_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int64_t> cut_ = 0;
};

}  // namespace headroom
