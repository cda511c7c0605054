#include "cli/serving/options.h"

#include <fmt/format.h>
#include <stdlib.h>

#include "base/error.h"
#include "budget/fraction.h"
#include "cli/app.h"
#include "cli/options.h"
#include "server/http/host.h"

namespace headroom {

using namespace server;
namespace {

const CLI::Validator not_empty(
    [](std::string& value) {
      return std::string(value.empty() ? "is empty; leave the option out to do without it" : "");
    },
    "", "not_empty");

void add_serving_options(CLI::App& app, ServeOptions& options) {
  app.add_option("--model", options.models, "checkpoint directory, or NAME=DIR; repeatable")
      ->allow_extra_args(false);
  app.add_option("--models", options.models_folder,
                 "folder of checkpoint directories, each served by its name; SIGHUP reads it again")
      ->check(not_empty);
  app.add_flag("--model-control", options.model_control,
               "load and unload models of --models over KServe's repository API: on the admin "
               "port, or with an admin's key");
  app.add_option("--host", options.host, "address to listen on; 0.0.0.0 is every one")
      ->check(not_empty);
  app.add_option("--port", options.port, "0: any free one")->check(CLI::Range(0, 65535));
  app.add_option("--grpc-port", options.grpc_port,
                 "also speak KServe's protocol over gRPC on this port; 0: any free one")
      ->check(CLI::Range(0, 65535));
  app.add_option("--slo-ms", options.slo_ms,
                 "deadline of requests that name none; the budget is lowered to meet it; 0: none");
  app.add_option("--max-deadline-ms", options.service.max_deadline_ms,
                 "longer deadlines of requests are taken for this");
  app.add_option(
      "--budget", options.budget,
      "the most that a request spends which names none, or auto: as much as each text needs");
  app.add_option(
      "--min-budget", options.min_budget,
      "load lowers budgets no further than this; 0: to rung zero, where tune stored one");
  app.add_option("--precision", options.precision,
                 "fp32, bf16, int8, or auto: what calibrate chose on this machine, else fp32");
  add_threads(app, options.service.workers, "worker threads; 0: one per core");
  app.add_option("--queue", options.service.queue_limit, "texts that may wait, per model")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--max-batch-tokens", options.service.max_batch_tokens, "tokens run together")
      ->check(CLI::Range(1, 1'000'000));
}

void add_door_options(CLI::App& app, ServeOptions& options) {
  app.add_option("--max-client-batch", options.calls.texts, "texts in one request")
      ->check(CLI::Range(1, 100'000));
  app.add_option("--payload-limit", options.http.body_bytes, "bytes of one request's body")
      ->check(CLI::Range(1, 1'000'000'000));
  add_max_memory(
      app, options.max_memory,
      "of the process, such as 2G: larger models are not loaded, requests that do not fit "
      "are told 429; 0: no limit");
  app.add_option("--cache-memory", options.cache_memory,
                 "for answers to texts that come again, such as 64M; 0: none are kept")
      ->transform(CLI::AsSizeValue(false));
  add_packed_cache(app, options.packed_cache);
  app.add_option("--max-connections", options.http.connections, "clients at one time")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--read-seconds", options.read_seconds, "time for a request to arrive")
      ->check(CLI::Range(1, 3600));
  app.add_option("--idle-seconds", options.idle_seconds, "time between a client's requests")
      ->check(CLI::Range(1, 86400));
  app.add_option("--drain-seconds", options.drain_seconds,
                 "time for requests under way after SIGTERM")
      ->check(CLI::Range(0, 3600));
  app.add_option("--api-key", options.api_key,
                 "clients must send it; better in the environment, where ps does not show it")
      ->check(not_empty);
  app.add_option("--api-keys", options.api_keys,
                 "file of keys with scopes and quotas, which headroom key makes; SIGHUP reads it "
                 "again")
      ->check(not_empty);
  app.add_option("--tls-cert", options.tls.certificate,
                 "PEM file with the certificate and its chain: speak TLS; SIGHUP reads it again")
      ->check(not_empty);
  app.add_option("--tls-key", options.tls.key, "PEM file with the certificate's key")
      ->check(not_empty);
  app.add_option("--tls-client-ca", options.tls.client_ca,
                 "PEM file with authorities: clients must show a certificate of one of them")
      ->check(not_empty);
  app.add_option("--allowed-host", options.allowed_hosts,
                 "a name that clients may call this server by, besides localhost and --host; "
                 "without it only servers on loopback check Host; repeatable")
      ->allow_extra_args(false)
      ->check(not_empty);
  app.add_option("--admin-port", options.admin_port,
                 "a second port for /health, /v2/health and /metrics, without key and TLS; 0: any "
                 "free one")
      ->check(CLI::Range(0, 65535));
  app.add_option("--admin-host", options.admin_host, "address of that port; without it --host")
      ->check(not_empty);
  app.add_flag("--log-requests", options.log_requests, "a line in the log for every request");
  app.add_option("--log-sample", options.log_sample,
                 "a line for this share of the requests, and for those refused for load or failed")
      ->check(CLI::Range(0.0, 1.0));
}

}  // namespace

void add_serve_options(CLI::App& app, ServeOptions& options) {
  add_serving_options(app, options);
  add_door_options(app, options);
}

void check_options(ServeOptions& options) {
  options.service.automatic = parse_spending(options.budget).automatic;
  options.service.budget = options.service.automatic ? 1 : parse_budget(options.budget);
  const Budget least = parse_spending(options.min_budget);
  if (least.automatic) {
    throw Error(ErrorCode::usage, "read options",
                "--min-budget auto: expected a fraction, or 0 for rung zero alone");
  }
  options.service.min_budget = least.fraction;
  if (options.service.min_budget > options.service.budget) {
    throw Error(
        ErrorCode::usage, "read options",
        fmt::format("--min-budget {} is above --budget {}", options.min_budget, options.budget));
  }
  if (!(options.slo_ms >= 0)) {
    throw Error(ErrorCode::usage, "read options",
                fmt::format("--slo-ms {} is not a time", options.slo_ms));
  }
  if (options.slo_ms > 0) options.service.slo_ms = options.slo_ms;
  const char* key_twin = getenv("HEADROOM_API_KEY");
  if (options.api_key.empty() && key_twin != nullptr && *key_twin == '\0') {
    throw Error(ErrorCode::usage, "read options",
                "HEADROOM_API_KEY is set but empty; unset it to serve without a key");
  }
  if (options.models.empty() && options.models_folder.empty()) {
    throw Error(ErrorCode::usage, "read options",
                "--model is required, or --models with a folder of checkpoints");
  }
  if (options.model_control && options.models_folder.empty()) {
    throw Error(ErrorCode::usage, "read options",
                "--model-control needs --models, the folder that models are loaded from");
  }
  if (options.model_control && !options.admin_port && options.api_keys.empty()) {
    throw Error(ErrorCode::usage, "read options",
                "--model-control needs --admin-port, or --api-keys with an admin's key: others "
                "may not load models");
  }
  if (!options.api_key.empty() && !options.api_keys.empty()) {
    throw Error(ErrorCode::usage, "read options", "give --api-key or --api-keys, not both");
  }
  if (options.tls.certificate.empty() != options.tls.key.empty() ||
      (options.tls.certificate.empty() && !options.tls.client_ca.empty())) {
    throw Error(ErrorCode::usage, "read options", "TLS needs both --tls-cert and --tls-key");
  }
  if (options.cache_memory > 0) {
    options.service.cache = std::make_shared<AnswerCache>(options.cache_memory);
  }
  if (options.admin_host.empty()) options.admin_host = options.host;
  options.http.allowed_hosts = allowed_hosts(options.host, options.allowed_hosts);
  options.http.read = std::chrono::seconds(options.read_seconds);
  options.http.idle = std::chrono::seconds(options.idle_seconds);
}

}  // namespace headroom
