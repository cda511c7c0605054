// Listens, accepts connections up to a limit and runs them on one thread until told to stop.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "server/http/handler.h"
#include "server/http/limits.h"
#include "server/http/tls.h"
#include "server/telemetry/log.h"

namespace headroom {

struct Shutdown {
  int64_t cut = 0;  // connections whose request was not answered
  double seconds = 0;
};

class HttpServer {
 public:
  // Listens on `host` (an address, or a name that resolves to one) and `port` (0: any free one).
  // `handler`, `log` and `tls` (none: HTTP without it) outlive the server. Throws
  // ErrorCode::runtime.
  HttpServer(HttpHandler& handler, const HttpLimits& limits, const std::string& host, int port,
             ServerLog& log, const TlsContext* tls = nullptr);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string address() const;  // "http://127.0.0.1:8080"
  int port() const;

  // Serves until `stop_requested`, which it asks every few hundredths of a second, says so. Then
  // the handler is not ready any more, nobody is let in, and requests under way get `drain` to
  // finish.
  Shutdown run(const std::function<bool()>& stop_requested, std::chrono::milliseconds drain);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headroom
