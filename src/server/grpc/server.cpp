#include "server/grpc/server.h"

#include <fmt/format.h>
#include <grpc/compression.h>
#include <grpc/support/log.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <climits>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "server/grpc/credentials.h"
#include "server/grpc/inference_service.h"

namespace headroom {
namespace {

// gRPC has one function for all that it says; the last door that was opened hears it.
std::mutex complaints_mutex;
std::function<void(std::string_view)> complaints;

void send_complaints_to(std::function<void(std::string_view)> complain) {
  const std::lock_guard lock(complaints_mutex);
  complaints = std::move(complain);
  gpr_set_log_function([](gpr_log_func_args* said) {
    const std::lock_guard inner(complaints_mutex);
    if (complaints && said->severity == GPR_LOG_SEVERITY_ERROR) complaints(said->message);
  });
}

int as_int(size_t number) {
  return static_cast<int>(std::min<size_t>(number, INT_MAX));
}

int as_int(std::chrono::milliseconds time) {
  return static_cast<int>(std::min<int64_t>(time.count(), INT_MAX));
}

std::string address_of(const std::string& host, int port) {
  const bool v6 = host.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

// The same limits as HTTP has. gRPC counts no connections: its memory is bounded instead.
void set_limits(const HttpLimits& limits, grpc::ServerBuilder& builder) {
  grpc::ResourceQuota quota("headroom");
  quota.Resize(limits.held_bytes);
  builder.SetResourceQuota(quota);
  builder.SetMaxReceiveMessageSize(as_int(limits.body_bytes));
  // A short message may not become a long one.
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, as_int(limits.header_bytes));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, as_int(limits.connections));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, as_int(limits.idle));
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, as_int(limits.read));
  // Otherwise two servers could listen on one port, each with half of the clients.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
}

class Door : public GrpcDoor {
 public:
  Door(HttpHandler& handler, const GrpcSettings& settings)
      : host_(settings.host), service_(handler, settings.texts, settings.slo_ms) {
    send_complaints_to(settings.complain);
    std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials();
    if (!settings.tls.certificate.empty()) {
      credentials = files_ = std::make_shared<FileCredentials>(settings.tls);
    }
    grpc::ServerBuilder builder;
    set_limits(settings.limits, builder);
    builder.RegisterService(&service_);
    const std::string address = address_of(settings.host, settings.port);
    builder.AddListeningPort(address, credentials, &port_);
    server_ = builder.BuildAndStart();
    if (!server_ || port_ == 0) {
      throw Error(ErrorCode::runtime, "listen on " + address,
                  "gRPC could not; is the port taken? Give another one to --grpc-port");
    }
  }
  ~Door() override {
    stop(std::chrono::milliseconds(0));
    send_complaints_to(nullptr);
  }
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  std::string address() const override { return address_of(host_, port_); }
  int port() const override { return port_; }
  void reload_certificates() override {
    if (files_) files_->reload();
  }
  int64_t stop(std::chrono::milliseconds drain) override {
    service_.begin_stopping();
    server_->Shutdown(std::chrono::system_clock::now() + drain);
    return service_.cut();
  }

 private:
  const std::string host_;
  InferenceService service_;
  std::shared_ptr<FileCredentials> files_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;  // last: ends before what it calls
};

}  // namespace

std::unique_ptr<GrpcDoor> make_grpc_door(HttpHandler& handler, const GrpcSettings& settings) {
  return std::make_unique<Door>(handler, settings);
}

}  // namespace headroom
