#include "server/grpc/inference_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "server/http/client_address.h"

namespace headroom {
namespace {

// "ipv4:127.0.0.1:4711" or "ipv6:%5B::1%5D:4711" as HttpHead::client.
std::string client_of_peer(std::string_view peer) {
  const size_t begin = peer.find(':');
  const size_t end = peer.rfind(':');
  if (begin == std::string_view::npos || end == begin) return {};
  std::string address(peer.substr(begin + 1, end - begin - 1));
  for (const std::string_view bracket : {"%5B", "%5D", "[", "]"}) {
    if (const size_t at = address.find(bracket); at != std::string::npos) {
      address.erase(at, bracket.size());
    }
  }
  return client_of_address(address);
}

std::optional<double> milliseconds_left(const grpc::CallbackServerContext& context) {
  using Clock = std::chrono::system_clock;
  const Clock::time_point deadline = context.deadline();
  if (deadline == Clock::time_point::max()) return std::nullopt;
  return std::chrono::duration<double, std::milli>(deadline - Clock::now()).count();
}

GrpcCaller caller_of(const grpc::CallbackServerContext& context) {
  GrpcCaller caller{"", client_of_peer(context.peer()), milliseconds_left(context)};
  const auto metadata = [&](const char* name) {
    const auto found = context.client_metadata().find(name);
    return found == context.client_metadata().end()
               ? std::string()
               : std::string(found->second.data(), found->second.size());
  };
  caller.authorization = metadata("authorization");
  caller.priority = metadata("x-headroom-priority");
  caller.request_id = metadata("x-request-id");
  caller.traceparent = metadata("traceparent");
  return caller;
}

// x-headroom-budget and its siblings, Retry-After, the ids: what REST has in header fields.
void add_trailers(const HttpResponse& response, grpc::CallbackServerContext& context) {
  for (const HttpField& field : response.fields) {
    std::string name = field.name;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name != "inference-header-content-length") context.AddTrailingMetadata(name, field.value);
  }
  if (response.request_id.empty()) return;
  context.AddTrailingMetadata("x-request-id", response.request_id);
  context.AddTrailingMetadata("traceparent", response.traceparent);
}

// Fields and values of a request: its texts and their pairs, and what parameters and tensors take.
int64_t most_parts(int64_t most_texts) {
  return 4096 + 2 * most_texts;
}

}  // namespace

// The end of interest in a call, which may come before it can be abandoned.
class Leaving {
 public:
  void leave() {
    std::unique_lock lock(mutex_);
    left_ = true;
    const Abandon abandon = std::exchange(abandon_, nullptr);
    lock.unlock();
    if (abandon) abandon();
  }
  void allow(Abandon abandon) {
    std::unique_lock lock(mutex_);
    if (!left_) {
      abandon_ = std::move(abandon);
      return;
    }
    lock.unlock();
    if (abandon) abandon();
  }

 private:
  std::mutex mutex_;
  bool left_ = false;
  Abandon abandon_;
};

// gRPC deletes it, by OnDone(), after Finish(): nothing of it may be touched then.
class InferenceService::HandledCall : public Reactor {
 public:
  HandledCall(InferenceService& service, std::shared_ptr<Leaving> leaving)
      : service_(service), leaving_(std::move(leaving)) {}

  void OnCancel() override {
    if (service_.stopping_) ++service_.cut_;
    leaving_->leave();
  }
  void OnDone() override { delete this; }

 private:
  InferenceService& service_;
  const std::shared_ptr<Leaving> leaving_;
};

InferenceService::Reactor* InferenceService::handle(Context& context, const MakeRequest& make,
                                                    ReadResponse read, const AddBody& add) {
  const auto leaving = std::make_shared<Leaving>();
  auto* const call = new HandledCall(*this, leaving);
  const auto reply = [call, &context, read = std::move(read)](const HttpResponse& response) {
    grpc::Status status;
    try {
      status = status_of(response);
      if (status.ok()) read(response);
      add_trailers(response, context);
    } catch (const std::exception&) {
      status = {grpc::StatusCode::INTERNAL, "the server could not answer"};
    }
    call->Finish(status);
  };
  GrpcCaller caller;
  try {
    caller = caller_of(context);
    HttpRequest request = make(caller);
    if (add) {
      if (const std::optional<HttpResponse> refused = handler_.refuse_early(request.head)) {
        reply(*refused);
        return call;
      }
      add(caller, request);
    }
    leaving->allow(handler_.handle(std::move(request), reply));
  } catch (const HttpError& error) {
    reply(handler_.refuse(head_of(caller, "POST", "/v2"), error));
  } catch (const std::bad_alloc&) {
    call->Finish({grpc::StatusCode::UNAVAILABLE, "this server has no memory for this call now"});
  }
  return call;
}

InferenceService::Reactor* InferenceService::ServerLive(
    Context* context, const inference::ServerLiveRequest* /*request*/,
    inference::ServerLiveResponse* response) {
  return handle(
      *context, [](const GrpcCaller& caller) { return get_request(caller, "/v2/health/live"); },
      [response](const HttpResponse& from) { read_response(from, *response); });
}

InferenceService::Reactor* InferenceService::ServerReady(
    Context* context, const inference::ServerReadyRequest* /*request*/,
    inference::ServerReadyResponse* response) {
  return handle(
      *context, [](const GrpcCaller& caller) { return get_request(caller, "/v2/health/ready"); },
      [response](const HttpResponse& from) { read_response(from, *response); });
}

InferenceService::Reactor* InferenceService::ModelReady(Context* context,
                                                        const inference::ModelReadyRequest* request,
                                                        inference::ModelReadyResponse* response) {
  return handle(
      *context,
      [request](const GrpcCaller& caller) {
        return get_request(caller, request->name(), request->version(), "/ready");
      },
      [response](const HttpResponse& from) { read_response(from, *response); });
}

InferenceService::Reactor* InferenceService::ServerMetadata(
    Context* context, const inference::ServerMetadataRequest* /*request*/,
    inference::ServerMetadataResponse* response) {
  return handle(
      *context, [](const GrpcCaller& caller) { return get_request(caller, "/v2"); },
      [response](const HttpResponse& from) { read_response(from, *response); });
}

InferenceService::Reactor* InferenceService::ModelMetadata(
    Context* context, const inference::ModelMetadataRequest* request,
    inference::ModelMetadataResponse* response) {
  return handle(
      *context,
      [request](const GrpcCaller& caller) {
        return get_request(caller, request->name(), request->version(), "");
      },
      [response](const HttpResponse& from) { read_response(from, *response); });
}

InferenceService::Reactor* InferenceService::ModelInfer(Context* context,
                                                        const grpc::ByteBuffer* request,
                                                        grpc::ByteBuffer* response) {
  const auto raw = std::make_shared<bool>(false);  // known once there is a message
  return handle(
      *context,
      [this, request](const GrpcCaller& caller) {
        return infer_request(caller, outline_of(*request, most_parts(most_texts_)));
      },
      [response, raw](const HttpResponse& from) {
        inference::ModelInferResponse message;
        read_response(from, *raw, message);
        write_message(message, *response);
      },
      [this, request, raw](const GrpcCaller& caller, HttpRequest& to) {
        inference::ModelInferRequest message;
        read_message(*request, message);
        *raw = wants_raw_outputs(message);
        add_body(caller, message, slo_ms_, to);
      });
}

}  // namespace headroom
