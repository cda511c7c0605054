// `serve --grpc-port`.
#pragma once

#include <chrono>
#include <future>
#include <memory>

#include "cli/serving/options.h"
#include "server/api/router.h"
#include "server/grpc/door.h"
#include "server/telemetry/log.h"

namespace headroom {

// The port for gRPC, which drains while the other one does.
class GrpcPort {
 public:
  GrpcPort(const ServeOptions& options, server::Router& router, ServerLog& log)
      : drain_(options.drain_seconds),
        door_(open_grpc_door(router, {options.host, *options.grpc_port, options.http, options.tls,
                                      [&log](std::string_view why) {
                                        log.event("grpc", {{"why", std::string(why)}});
                                      },
                                      options.calls.texts, options.service.slo_ms})) {}

  const GrpcDoor& door() const { return *door_; }
  void reload_certificates() { door_->reload_certificates(); }
  void begin_drain() {
    cut_ = std::async(std::launch::async, [this] { return door_->stop(drain_); });
  }
  // Calls that did not end in time, when it is over.
  int64_t cut() { return cut_.valid() ? cut_.get() : 0; }

 private:
  std::chrono::seconds drain_;
  std::unique_ptr<GrpcDoor> door_;
  std::future<int64_t> cut_;  // last: its thread ends before the door does
};

}  // namespace headroom
