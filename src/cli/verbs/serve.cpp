// headroom serve: answers over HTTP until it is told to stop.
#include <fmt/format.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <future>
#include <thread>

#include "base/interrupt.h"
#include "base/measure/machine.h"
#include "base/memory_allowance.h"
#include "budget/fraction.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/precision_file.h"
#include "checkpoint/weights_memory.h"
#include "cli/app.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "engine/kernels/isa.h"
#include "engine/precision.h"
#include "server/api/api.h"
#include "server/grpc/door.h"
#include "server/http/host.h"
#include "server/http/server.h"
#include "server/http/tls.h"
#include "server/service/generations.h"
#include "server/service/model_control.h"
#include "server/service/reloads.h"
#include "server/service/service.h"
#include "server/telemetry/logged_metrics.h"

namespace headroom {

using namespace server;
namespace {

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
  uint64_t cache_memory = 0;     // 0: no cache
  int drain_seconds = 10;
  int read_seconds = 10;
  int idle_seconds = 60;
  bool log_requests = false;
  double log_sample = 0;
  std::optional<int> admin_port;
  std::string admin_host;  // empty: --host
  TlsFiles tls;
  ServiceSettings service;
  HttpLimits http;
  CallLimits calls;
};

// A "=" behind a "/" belongs to the path.
ModelSource parse_model_option(const std::string& text) {
  const size_t equals = text.find('=');
  const bool named = equals != std::string::npos && text.find('/') > equals;
  ModelSource option{named ? text.substr(0, equals) : "", named ? text.substr(equals + 1) : text};
  if (!named) {
    const auto normal = std::filesystem::absolute(option.directory).lexically_normal();
    option.name = (normal.has_filename() ? normal : normal.parent_path()).filename().string();
  }
  if (!is_model_name(option.name)) {
    throw Error(ErrorCode::usage, "read options",
                fmt::format("--model {}: \"{}\" is no name for a model; give one of letters, "
                            "digits, - _ . as NAME=DIR",
                            text, option.name));
  }
  return option;
}

// What is left of --max-memory; 0: there is no limit.
uint64_t memory_left(const ServeOptions& options) {
  if (options.max_memory == 0) return 0;
  const uint64_t used = static_cast<uint64_t>(resident_memory_bytes()) + options.reserved_memory;
  return std::max<uint64_t>(1, options.max_memory - std::min(options.max_memory, used));
}

uint64_t worker_count(const ServeOptions& options) {
  const int asked = options.service.workers;
  return asked > 0 ? static_cast<uint64_t>(asked)
                   : std::max(1U, std::thread::hardware_concurrency());
}

// Of the workers, each with a full batch.
uint64_t activation_bytes(const ServeOptions& options, const ModelShape& shape) {
  const int64_t of_a_token = 8 * shape.width + 2 * shape.ffn;  // floats alive in one layer
  const auto tokens = static_cast<uint64_t>(options.service.max_batch_tokens);
  return worker_count(options) * tokens * static_cast<uint64_t>(of_a_token) * sizeof(float);
}

// Before it is loaded beside the others; what does not fit at the start share_memory() tells.
void require_room(const ServeOptions& options, const ModelSource& model, const ModelConfig& config,
                  Precision precision) {
  if (options.reserved_memory == 0) return;
  const auto number_bytes = static_cast<uint64_t>(4 / elements_per_lane(precision));
  const uint64_t weights = weights_bytes(config, number_bytes);
  const uint64_t activations = activation_bytes(options, config.shape);
  if (weights + activations <= memory_left(options)) return;
  throw Error(ErrorCode::runtime, "load model",
              fmt::format("{} takes {} ({} of weights, {} in the workers), but of --max-memory {} "
                          "only {} are left: {} are in use, {} are kept for requests",
                          model.name, shown_bytes(weights + activations), shown_bytes(weights),
                          shown_bytes(activations), shown_bytes(options.max_memory),
                          shown_bytes(memory_left(options)),
                          shown_bytes(static_cast<uint64_t>(resident_memory_bytes())),
                          shown_bytes(options.reserved_memory)));
}

// What the threads take beyond what is resident before the first request: each the activations of a
// full batch, and a body with its parsed value, its texts and their tokens.
uint64_t memory_of_threads(const ServeOptions& options, const std::vector<ServedModel>& models) {
  uint64_t activations = 0;
  for (const ServedModel& model : models) {
    activations = std::max(activations, activation_bytes(options, model.config.shape));
  }
  // At least as many as the pool has.
  const uint64_t parsers = std::max<uint64_t>(2, worker_count(options));
  return activations + parsers * 5 * options.http.body_bytes;
}

// Gives requests what models, threads and connections leave. A body that comes in chunks is copied
// when it has outgrown its memory, and is there twice for that moment.
void share_memory(ServeOptions& options, uint64_t threads) {
  if (options.max_memory == 0) return;
  HttpLimits& http = options.http;
  // Two buffers, the session, its socket, and the part of a body that is not counted.
  const size_t tls = options.tls.certificate.empty() ? 0 : 48'000;
  const size_t a_connection = http.header_bytes + 48'000 + http.small_body_bytes + tls;
  const uint64_t fixed = http.connections * a_connection + threads + options.cache_memory;
  const uint64_t left = memory_left(options);
  if (left < fixed + 2 * http.body_bytes) {
    throw Error(
        ErrorCode::runtime, "serve",
        fmt::format("--max-memory {}: the models leave {}, but {} connections, a request of "
                    "{} bytes and the cache need {}; lower --max-connections, --payload-limit or "
                    "--cache-memory",
                    shown_bytes(options.max_memory), shown_bytes(left), http.connections,
                    http.body_bytes, shown_bytes(fixed + 2 * http.body_bytes)));
  }
  http.held_bytes = std::min<size_t>(http.held_bytes, (left - fixed) / 2);
  options.reserved_memory = fixed + 2 * http.held_bytes;
}

std::string_view calibrated_by(TableSource source) {
  switch (source) {
    case TableSource::checkpoint:
      return "by headroom calibrate";
    case TableSource::measured:
      return "now, roughly";
    case TableSource::replaced:
      return "now, roughly: latency.json is off by more than a factor of two";
  }
  return "";
}

Precision served_precision(const ServeOptions& options, const std::filesystem::path& model,
                           const ModelConfig& config) {
  if (options.precision != "auto") return precision_table.parse(options.precision);
  return chosen_precision(model, config);
}

// Of --model, the first of which is the default, then of --models.
ServingPlan wanted_models(const ServeOptions& options) {
  std::vector<ModelSource> fixed;
  for (const std::string& text : options.models) fixed.push_back(parse_model_option(text));
  return plan_serving(fixed, options.models_folder);
}

ServedModel load_model(const ModelSource& wanted, const ServeOptions& options, ServerLog& log) {
  SilentProgress progress;
  log.event("loading", {{"model", wanted.name}, {"directory", wanted.directory.string()}});
  const ModelConfig config = read_config(wanted.directory);
  const Precision precision = served_precision(options, wanted.directory, config);
  require_room(options, wanted, config, precision);
  ServedModel model = load_served_model(wanted.name, wanted.directory,
                                        {precision, {}, memory_left(options)}, progress);
  log.event("model_loaded", {{"model", model.name},
                             {"precision", precision_table.name(precision)},
                             {"labels", model.config.labels.size()},
                             {"calibrated", calibrated_by(model.table_source)},
                             {"policy", model.policy.has_value()},
                             {"ms_128_tokens", model.table.estimate(1, 128).median_ms}});
  if (!model.policy_note.empty()) {
    log.event("policy_ignored", {{"model", model.name}, {"why", model.policy_note}});
  }
  return model;
}

std::vector<std::string> names_of(const std::vector<ServedModel>& models) {
  std::vector<std::string> names;
  names.reserve(models.size());
  for (const ServedModel& model : models) names.push_back(model.name);
  return names;
}

// Each connection is a descriptor, and systems start processes with room for 1024. Where there are
// too few, connections are fewer: the others would not be accepted and hang.
void allow_many_descriptors(HttpLimits& http, ServerLog& log) {
  constexpr size_t others = 128;  // files, what is kept for probes, the runtime's own
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  const size_t most =
      std::max<size_t>(16, limit.rlim_max - std::min<size_t>(limit.rlim_max, others));
  if (limit.rlim_max == RLIM_INFINITY || most >= http.connections) return;
  log.event("fewer_connections", {{"connections", most}, {"why", "ulimit -n"}});
  http.connections = most;
}

// glibc keeps what is freed, and more of it the larger it was: 300 half-sent bodies held 600 MB
// after their clients had left. With a fixed threshold such blocks go back to the system at once.
void return_freed_memory(bool few_arenas) {
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  mallopt(M_TRIM_THRESHOLD, 1024 * 1024);
  if (few_arenas) mallopt(M_ARENA_MAX, 2);  // each keeps some of its own
}

// The port for health and metrics, on a thread of its own; it answers until the other has drained.
class AdminPort {
 public:
  AdminPort(const ServeOptions& options, Router& router, ServerLog& log)
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

// The port for gRPC, which drains while the other one does.
class GrpcPort {
 public:
  GrpcPort(const ServeOptions& options, Router& router, ServerLog& log)
      : drain_(options.drain_seconds),
        door_(open_grpc_door(router, {options.host, *options.grpc_port, options.http, options.tls,
                                      [&log](std::string_view why) {
                                        log.event("grpc", {{"why", std::string(why)}});
                                      }})) {}

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

void announce(const HttpServer& server, const AdminPort* admin, const GrpcPort* grpc,
              const std::vector<std::string>& models, bool json) {
  if (json) {
    Json line = {{"listening", server.address()}, {"port", server.port()}, {"models", models}};
    if (admin != nullptr) line["admin"] = admin->address();
    if (grpc != nullptr) line["grpc_port"] = grpc->door().port();
    print_json_line(line);
  } else {
    fmt::print("listening on {}\n", server.address());
    if (admin != nullptr) fmt::print("health and metrics on {}\n", admin->address());
    if (grpc != nullptr) fmt::print("gRPC on {}\n", grpc->door().address());
  }
  std::fflush(stdout);
}

// Without anything to read again SIGHUP stops the server, as a terminal that closes should.
std::unique_ptr<Reloads> reloads_of(std::vector<Reloads::Part> parts, ServerLog& log) {
  if (parts.empty()) return nullptr;
  watch_for_reloads();
  return std::make_unique<Reloads>(
      std::move(parts), [&log](const std::string& part, const std::optional<std::string>& why) {
        log.event(why ? "reload_failed" : "reloaded",
                  why ? Json{{"part", part}, {"why", *why}} : Json{{"part", part}});
      });
}

void serve(ServeOptions& options, bool json) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader of the log that has gone is no reason to end
  return_freed_memory(options.max_memory > 0);
  ServerLog log(STDERR_FILENO, json);
  allow_many_descriptors(options.http, log);
  std::vector<Reloads::Part> reloaded;
  std::optional<TlsContext> tls;
  GrpcPort* grpc = nullptr;
  if (!options.tls.certificate.empty()) {
    tls.emplace(options.tls);
    reloaded.push_back({"certificate", [&tls, &grpc] {
                          tls->reload();
                          if (grpc != nullptr) grpc->reload_certificates();
                        }});
  }
  const auto keys = options.api_keys.empty()
                        ? std::make_shared<KeyRing>(options.api_key)
                        : std::make_shared<KeyRing>(std::filesystem::path(options.api_keys));
  if (!options.api_keys.empty()) {
    reloaded.push_back({"keys", [keys] { keys->reload(); }});
  }
  LoggedMetrics metrics({}, log, options.log_requests ? 1 : options.log_sample);
  std::function<void(Service & service, std::shared_ptr<void> in_use)> publish;
  Generations generations({[&](const ModelSource& source) {
                             ServedModel model = load_model(source, options, log);
                             metrics.add_model(model.name);
                             return model;
                           },
                           [&publish](Service& service, std::shared_ptr<void> in_use) {
                             publish(service, std::move(in_use));
                           }},
                          wanted_models(options), options.service, metrics);
  std::vector<std::string> names;
  generations.with_current([&](Service& service) {
    names = names_of(service.models());
    share_memory(options, memory_of_threads(options, service.models()));
  });
  const auto metrics_text = [&] {
    metrics.clear_queue_lengths();  // also of models that went
    generations.with_current([&](Service& service) {
      for (const ServedModel& model : service.models()) {
        metrics.set_queue_length(model.name, service.live(model.name).queue);
      }
    });
    if (options.service.cache) metrics.set_cache_bytes(options.service.cache->bytes());
    metrics.set_log_lines_dropped(log.dropped());
    return metrics.text();
  };
  const auto on_drain = [&] {
    log.event("draining", {{"seconds", options.drain_seconds}});
    generations.begin_drain();
    if (grpc != nullptr) grpc->begin_drain();
  };
  std::optional<ModelControl> control;
  if (options.model_control) control.emplace(options.models_folder, generations);
  const ServerFacts facts{
      std::string(isa_name(chosen_isa())), options.http, options.calls,
      options.service.min_budget,          metrics_text, control ? &*control : nullptr};
  Router router({}, keys, metrics, on_drain, std::make_unique<RequestPool>());
  Router admin_router({}, "", metrics, [] {});
  publish = [&](Service& service, const std::shared_ptr<void>& in_use) {
    router.replace(api_routes(service, facts), in_use);
    admin_router.replace(admin_routes(service, facts), in_use);
  };
  generations.publish();
  HttpServer server(router, options.http, options.host, options.port, log, tls ? &*tls : nullptr);
  if (!options.models_folder.empty()) {
    reloaded.push_back(
        {"models",
         [&] { generations.change([&](const ServingPlan&) { return wanted_models(options); }); }});
  }
  std::optional<GrpcPort> grpc_port;
  if (options.grpc_port) grpc = &grpc_port.emplace(options, router, log);
  const std::unique_ptr<Reloads> reloads = reloads_of(std::move(reloaded), log);
  std::optional<AdminPort> admin;
  if (options.admin_port) admin.emplace(options, admin_router, log);
  log.event("listening", {{"address", server.address()}});
  announce(server, admin ? &*admin : nullptr, grpc, names, json);
  const auto stop_requested = [&reloads] {
    if (reloads && take_reload_request()) reloads->request();
    return interrupt_requested();
  };
  Shutdown shutdown = server.run(stop_requested, std::chrono::seconds(options.drain_seconds));
  if (grpc != nullptr) shutdown.cut += grpc->cut();
  // No answer may come when the router is gone.
  if (control) control->stop();
  generations.cut();
  log.event("stopped", {{"cut", shutdown.cut}, {"drain_seconds", shutdown.seconds}});
}

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
  app.add_option("--min-budget", options.min_budget, "load lowers budgets no further than this");
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

void check_options(ServeOptions& options) {
  options.service.automatic = parse_spending(options.budget).automatic;
  options.service.budget = options.service.automatic ? 1 : parse_budget(options.budget);
  options.service.min_budget = parse_budget(options.min_budget);
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

}  // namespace

int run_serve(int argc, char** argv) {
  CLI::App app(
      "Serves models over HTTP: POST /v1/classify, KServe's /v2, /metrics and a page at /. Under "
      "load it spends less on each text before it refuses any. SIGTERM drains and stops it; SIGHUP "
      "reads certificates, keys and models again, and without any stops it too.",
      "headroom serve");
  ServeOptions options;
  add_serving_options(app, options);
  add_door_options(app, options);
  return run_app(app, argc, argv, [&](bool json) {
    check_options(options);
    serve(options, json);
  });
}

}  // namespace headroom
