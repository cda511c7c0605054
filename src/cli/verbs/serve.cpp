// headroom serve: answers over HTTP until it is told to stop.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "base/interrupt.h"
#include "budget/ladder/why_no_auto.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/precision_file.h"
#include "cli/app.h"
#include "cli/serving/admin_port.h"
#include "cli/serving/grpc_port.h"
#include "cli/serving/memory.h"
#include "cli/serving/options.h"
#include "cli/serving/terminal.h"
#include "cli/verb.h"
#include "engine/kernels/isa.h"
#include "server/api/api.h"
#include "server/service/generations.h"
#include "server/service/model_control.h"
#include "server/service/reloads.h"
#include "server/service/service.h"
#include "server/telemetry/logged_metrics.h"

namespace headroom {

using namespace server;
namespace {

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

ServedModel load_model(const ModelSource& wanted, const std::vector<ServedModel>& beside,
                       const ServeOptions& options, ServerLog& log) {
  SilentProgress progress;
  log.event("loading", {{"model", wanted.name}, {"directory", wanted.directory.string()}});
  const ModelConfig config = read_config(wanted.directory);
  const Precision precision = served_precision(options, wanted.directory, config);
  require_room(options, wanted, config, precision, beside);
  EngineOptions engine{precision, {}, memory_left(options)};
  engine.packed_cache = options.packed_cache;
  ServedModel model = load_served_model(wanted.name, wanted.directory, engine, progress);
  log.event("model_loaded", {{"model", model.name},
                             {"precision", precision_table.name(precision)},
                             {"labels", model.config.labels.size()},
                             {"calibrated", calibrated_by(model.table_source)},
                             {"policy", model.policy.has_value()},
                             {"ms_128_tokens", model.table.estimate(1, 128).median_ms}});
  if (!model.packed_note.empty()) {
    log.event("packed_anew", {{"model", model.name}, {"why", model.packed_note}});
  }
  if (!model.policy_note.empty()) {
    log.event("policy_ignored", {{"model", model.name}, {"why", model.policy_note}});
  }
  if (options.service.automatic && !has_auto(model)) {
    log.event("no_auto", {{"model", model.name}, {"why", why_no_auto(config.task)}});
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

// `systemctl reload` may come at any time, and must not stop a server that has nothing to read
// again; a terminal that closes should.
void choose_what_sighup_means(const ServeOptions& options) {
  const bool reads_again = !options.tls.certificate.empty() || !options.api_keys.empty() ||
                           !options.models_folder.empty();
  if (reads_again || !in_foreground_of_terminal()) watch_for_reloads();
}

std::unique_ptr<Reloads> reloads_of(std::vector<Reloads::Part> parts, ServerLog& log) {
  if (parts.empty()) return nullptr;
  return std::make_unique<Reloads>(
      std::move(parts), [&log](const std::string& part, const std::optional<std::string>& why) {
        log.event(why ? "reload_failed" : "reloaded",
                  why ? Json{{"part", part}, {"why", *why}} : Json{{"part", part}});
      });
}

void request_reload(Reloads* reloads, ServerLog& log) {
  if (reloads != nullptr) return reloads->request();
  log.event("nothing_to_reload");
}

void serve(ServeOptions& options, bool json) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader of the log that has gone is no reason to end
  choose_what_sighup_means(options);
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
  Generations generations({[&](const ModelSource& source, const std::vector<ServedModel>& beside) {
                             ServedModel model = load_model(source, beside, options, log);
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
    share_memory(options, service.models());
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
    metrics.tell_only(names_of(service.models()));
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
  const auto stop_requested = [&reloads, &log] {
    if (take_reload_request()) request_reload(reloads.get(), log);
    return interrupt_requested();
  };
  Shutdown shutdown = server.run(stop_requested, std::chrono::seconds(options.drain_seconds));
  if (grpc != nullptr) shutdown.cut += grpc->cut();
  // No answer may come when the router is gone.
  if (control) control->stop();
  generations.cut();
  log.event("stopped", {{"cut", shutdown.cut}, {"drain_seconds", shutdown.seconds}});
}

}  // namespace

int run_serve(int argc, char** argv) {
  CLI::App app(
      "Serves models over HTTP: POST /v1/classify, KServe's /v2, /metrics and a page at /. Under "
      "load it spends less on each text before it refuses any. SIGTERM drains and stops it; SIGHUP "
      "reads certificates, keys and models again.",
      "headroom serve");
  ServeOptions options;
  add_serve_options(app, options);
  return run_app(app, argc, argv, [&](bool json) {
    check_options(options);
    serve(options, json);
  });
}

}  // namespace headroom
