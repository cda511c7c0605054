// The gRPC door in front of the real router and a fake backend, and a client of it.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/api/api.h"
#include "server/fake_backend.h"
#include "server/grpc/open_inference.grpc.pb.h"
#include "server/grpc/server.h"
#include "server/telemetry/metrics.h"

namespace headroom::testing {
using namespace server;

struct GrpcPeerSettings {
  HttpLimits limits = {};
  CallLimits calls = {};
  std::string api_key = {};
  std::filesystem::path api_keys = {};  // file of keys, instead
  TlsFiles tls = {};
  std::optional<double> slo_ms = {};
};

// One request to the service and what came of it.
template <typename Response>
struct GrpcReply {
  grpc::Status status;
  Response message;
  std::multimap<std::string, std::string> trailers;
};

class GrpcPeer {
 public:
  using Stub = inference::GRPCInferenceService::Stub;

  explicit GrpcPeer(const GrpcPeerSettings& settings = {})
      : metrics_({"news"}),
        router_(
            api_routes(backend, {"portable", settings.limits, settings.calls, 0.125,
                                 [] { return std::string(); }}),
            keys_of(settings), metrics_, [this] { backend.begin_drain(); },
            std::make_unique<RequestPool>()),
        door(make_grpc_door(router_, {"127.0.0.1",
                                      0,
                                      settings.limits,
                                      settings.tls,
                                      {},
                                      settings.calls.texts,
                                      settings.slo_ms})) {
    if (settings.tls.certificate.empty()) connect(grpc::InsecureChannelCredentials());
  }

  // A connection of its own, to the server that calls itself `name`.
  void connect(const std::shared_ptr<grpc::ChannelCredentials>& credentials,
               const std::string& name = "") {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    if (!name.empty()) arguments.SetSslTargetNameOverride(name);
    stub_ = inference::GRPCInferenceService::NewStub(
        grpc::CreateCustomChannel(door->address(), credentials, arguments));
  }

  // `call` is one of the stub's functions; `prepare` sets deadlines and metadata.
  template <typename Request, typename Response>
  GrpcReply<Response> ask(grpc::Status (Stub::*call)(grpc::ClientContext*, const Request&,
                                                     Response*),
                          const Request& request,
                          const std::function<void(grpc::ClientContext&)>& prepare = {}) {
    grpc::ClientContext context;
    if (prepare) prepare(context);
    GrpcReply<Response> reply;
    reply.status = (stub_.get()->*call)(&context, request, &reply.message);
    for (const auto& [name, value] : context.GetServerTrailingMetadata()) {
      reply.trailers.emplace(std::string(name.data(), name.size()),
                             std::string(value.data(), value.size()));
    }
    return reply;
  }
  GrpcReply<inference::ModelInferResponse> infer(
      const inference::ModelInferRequest& request,
      const std::function<void(grpc::ClientContext&)>& prepare = {}) {
    return ask(&Stub::ModelInfer, request, prepare);
  }
  Stub& stub() { return *stub_; }

  FakeBackend backend;

 private:
  static std::shared_ptr<const KeyRing> keys_of(const GrpcPeerSettings& settings) {
    if (settings.api_keys.empty()) return std::make_shared<const KeyRing>(settings.api_key);
    return std::make_shared<const KeyRing>(settings.api_keys);
  }

  Metrics metrics_;
  Router router_;

 public:
  std::unique_ptr<GrpcDoor> door;

 private:
  std::unique_ptr<Stub> stub_;
};

// Texts as bytes_contents, or each behind its length in raw_input_contents.
inline inference::ModelInferRequest infer_texts(const std::vector<std::string>& texts, bool raw) {
  inference::ModelInferRequest request;
  request.set_model_name("news");
  auto& input = *request.add_inputs();
  input.set_name("text");
  input.set_datatype("BYTES");
  input.add_shape(static_cast<int64_t>(texts.size()));
  std::string bytes;
  for (const std::string& text : texts) {
    const auto length = static_cast<uint32_t>(text.size());
    bytes.append(reinterpret_cast<const char*>(&length), sizeof(length));
    bytes += text;
    if (!raw) input.mutable_contents()->add_bytes_contents(text);
  }
  if (raw) request.add_raw_input_contents(bytes);
  return request;
}

}  // namespace headroom::testing
