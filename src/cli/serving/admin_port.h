// `serve --admin-port`.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "cli/serving/options.h"
#include "server/api/router.h"
#include "server/http/host.h"
#include "server/http/server.h"
#include "server/telemetry/log.h"

namespace headroom {

// The port for health and metrics, on a thread of its own; it answers until the other has drained.
class AdminPort {
 public:
  AdminPort(const ServeOptions& options, server::Router& router, ServerLog& log)
      : server_(router, limits_of(options), options.admin_host, *options.admin_port, log),
        thread_([this] { server_.run([this] { return stop_.load(); }, std::chrono::seconds(1)); }) {
  }
  ~AdminPort() {
    stop_ = true;
    thread_.join();
  }
  AdminPort(const AdminPort&) = delete;
  AdminPort& operator=(const AdminPort&) = delete;

  std::string address() const { return server_.address(); }

 private:
  static HttpLimits limits_of(const ServeOptions& options) {
    HttpLimits limits = options.http;
    limits.connections = 64;
    limits.body_bytes = options.model_control ? 16'384 : 0;
    limits.allowed_hosts = allowed_hosts(options.admin_host, options.allowed_hosts);
    return limits;
  }

  HttpServer server_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace headroom
