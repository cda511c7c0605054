// gRPC beside HTTP: KServe's protocol on a port of its own, in front of the same handler. What it
// needs of gRPC is in a module that is loaded when somebody asks for that port: linked to the
// program, gRPC would make every start of it several times slower.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/http/handler.h"
#include "server/http/limits.h"
#include "server/http/tls.h"

namespace headroom {

struct GrpcSettings {
  std::string host;
  int port = 0;  // 0: any free one
  HttpLimits limits;
  TlsFiles tls;                                        // no certificate: without TLS
  std::function<void(std::string_view why)> complain;  // what gRPC itself says, from any thread
  int64_t texts = 32;                                  // of one request
  std::optional<double> slo_ms = {};                   // ServiceSettings::slo_ms
};

class GrpcDoor {
 public:
  virtual ~GrpcDoor() = default;  // cuts what is under way

  virtual std::string address() const = 0;  // "127.0.0.1:8081"
  virtual int port() const = 0;

  // Reads the files again, for connections that come from now on. They are those that a TlsContext
  // has just accepted.
  virtual void reload_certificates() = 0;

  // Lets nobody in, gives calls under way `drain` to finish and returns how many it cut.
  virtual int64_t stop(std::chrono::milliseconds drain) = 0;
};

// Loads the module and listens. `handler` outlives the door and is called from several threads.
// Throws ErrorCode::usage when there is no module, ErrorCode::runtime when it cannot listen.
std::unique_ptr<GrpcDoor> open_grpc_door(HttpHandler& handler, const GrpcSettings& settings);

// What the module has under the name `grpc_module_symbol`.
struct GrpcModule {
  const char* version;  // of headroom: both sides must know the same types
  GrpcDoor* (*open)(HttpHandler& handler, const GrpcSettings& settings);
};
inline constexpr const char* grpc_module_symbol = "headroom_grpc_module";

}  // namespace headroom
