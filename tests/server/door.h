// The real door (sockets, router, API) in front of a fake backend, running on a thread of its own.
#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "server/api/api.h"
#include "server/fake_backend.h"
#include "server/http/server.h"
#include "server/telemetry/metrics.h"

namespace headroom::testing {
using namespace server;

struct DoorSettings {
  HttpLimits limits;
  CallLimits calls;
  std::string api_key;
  std::chrono::milliseconds drain{10'000};
  const TlsContext* tls = nullptr;
};

class Door {
 public:
  explicit Door(const DoorSettings& settings = {})
      : metrics({"news"}),
        log_stream_(std::tmpfile(), &std::fclose),
        log_(fileno(log_stream_.get()), /*json=*/true),
        router_(
            api_routes(backend, {"portable", settings.limits, settings.calls, 0.125,
                                 [this] { return metrics.text(); }}),
            settings.api_key, metrics, [this] { backend.begin_drain(); },
            std::make_unique<RequestPool>()),
        server_(std::make_unique<HttpServer>(router_, settings.limits, "127.0.0.1", 0, log_,
                                             settings.tls)),
        port(server_->port()),
        thread_([this, drain = settings.drain] {
          shutdown_ = server_->run([this] { return stop_.load(); }, drain);
        }) {}

  ~Door() {
    if (thread_.joinable()) stop();
    server_.reset();
  }
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  void request_stop() { stop_ = true; }
  // Until the server has stopped.
  Shutdown stop() {
    request_stop();
    thread_.join();
    return shutdown_;
  }

  FakeBackend backend;
  Metrics metrics;

 private:
  // Closed after the log, which writes to it until its end.
  std::unique_ptr<FILE, int (*)(FILE*)> log_stream_;
  ServerLog log_;
  Router router_;
  std::unique_ptr<HttpServer> server_;

 public:
  const int port;

 private:
  std::atomic<bool> stop_ = false;
  Shutdown shutdown_;
  std::thread thread_;
};

}  // namespace headroom::testing
