// What `headroom serve` was told on its command line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "server/api/call.h"
#include "server/http/limits.h"
#include "server/http/tls.h"
#include "server/service/service.h"

namespace CLI {
class App;
}

namespace headroom {

struct ServeOptions {
  std::vector<std::string> models;  // DIR or NAME=DIR
  std::string models_folder;
  bool model_control = false;
  std::string host = "127.0.0.1";
  int port = 8080;
  std::optional<int> grpc_port;
  std::string precision = "auto";
  std::string budget = "1";
  std::string min_budget = "0.125";
  std::string api_key;
  std::string api_keys;  // a file
  std::vector<std::string> allowed_hosts;
  double slo_ms = 0;
  uint64_t max_memory = 0;       // bytes; 0: no limit
  uint64_t reserved_memory = 0;  // of these, for threads, connections and requests
  std::filesystem::path packed_cache;
  uint64_t cache_memory = 0;  // 0: no cache
  int drain_seconds = 10;
  int read_seconds = 10;
  int idle_seconds = 60;
  bool log_requests = false;
  double log_sample = 0;
  std::optional<int> admin_port;
  std::string admin_host;  // empty: --host
  TlsFiles tls;
  server::ServiceSettings service;
  HttpLimits http;
  server::CallLimits calls;
};

void add_serve_options(CLI::App& app, ServeOptions& options);

// Fills in what follows from what was given. Throws ErrorCode::usage for what does not go together.
void check_options(ServeOptions& options);

}  // namespace headroom
