#include "server/api/info.h"

#include <chrono>
#include <utility>

#include "base/version.h"
#include "budget/cost.h"
#include "budget/fraction.h"
#include "server/api/dialects/tei.h"
#include "server/api/embedded_files.h"

namespace headroom::server {
namespace {

// Selections are priced at one length, so that their shares can be compared (budget/unit_order.h).
double macs_fraction(const ServedModel& model, const Selection& selection) {
  const ModelShape& shape = model.config.shape;
  const double dense = dense_cost(shape, priced_tokens).model_macs;
  return cost_of(shape, selection, priced_tokens).model_macs / dense;
}

Json model_json(const ServedModel& model, double min_budget, bool is_default) {
  const ModelConfig& config = model.config;
  const ModelShape& shape = config.shape;
  Json json;
  json["name"] = model.name;
  json["default"] = is_default;
  json["task"] = task_name(config.task);
  json["pairs"] = traits(config.task).pairs;
  json["labels"] = config.labels;
  if (config.task == Task::multilabel) {
    json["thresholds"] = Json::array();
    for (size_t i = 0; i < config.labels.size(); ++i) {
      json["thresholds"].push_back(config.output.threshold(i));
    }
  }
  json["auto"] = has_auto(model);
  if (config.task == Task::embed) {
    json["dimensions"] = shape.vector_width();
    json["prompts"] = Json::array();
    for (const auto& [name, text] : config.output.vector.prompts) json["prompts"].push_back(name);
  }
  json["layers"] = shape.layers;
  json["heads"] = shape.heads;
  json["ffn"] = shape.ffn;
  json["width"] = shape.width;
  json["max_tokens"] = config.longest_input();
  if (config.truncation) json["truncation"] = kept_part_table.name(*config.truncation);
  json["method"] = method_name(config.method);
  json["scope"] = config.scope();
  json["precision"] = model.table.precision;
  json["parameters"] = parameter_count(shape, all_heads(shape.layers, shape.heads));
  json["min_budget"] = min_budget;
  json["budgets"] = Json::array();
  for (const double budget : model.table.budgets()) {
    json["budgets"].push_back(plan_json(model, budget));
  }
  json["scores"] = model.scores;
  return json;
}

// A query's value; `otherwise` when the key is not there.
std::string query_value(const ApiRequest& request, const std::string& key,
                        const std::string& otherwise) {
  const auto found = request.query.find(key);
  return found == request.query.end() ? otherwise : found->second;
}

const ServedModel& queried_model(const Backend& backend, const ApiRequest& request) {
  return find_model(backend, request, query_value(request, "model", ""));
}

Json info_json(const Backend& backend, const ServerFacts& facts, double uptime) {
  Json json;
  json["name"] = "headroom";
  json["version"] = version();
  json["models"] = Json::array();
  for (const ServedModel& model : backend.models()) json["models"].push_back(model.name);
  json["instruction_set"] = facts.isa;
  json["limits"] = {{"texts", facts.calls.texts},
                    {"body_bytes", facts.http.body_bytes},
                    {"header_bytes", facts.http.header_bytes},
                    {"connections", facts.http.connections}};
  json["uptime_seconds"] = uptime;
  json.update(tei_model_facts(backend.models().front()));
  json["max_client_batch_size"] = facts.calls.texts;
  json["max_concurrent_requests"] = facts.http.connections;
  return json;
}

// What the key of this request may do, and what it may still spend. Without a file of keys: nothing
// is counted.
Json key_json(const ApiRequest& request) {
  Json json = {{"name", nullptr}, {"priority", priority_table.name(Priority::normal)}};
  if (!request.key) return json;
  const KeyRules& rules = request.key->rules();
  json["name"] = rules.name;
  json["priority"] = priority_table.name(rules.priority);
  json["models"] = rules.models.empty() ? Json(nullptr) : Json(rules.models);
  json["read_only"] = rules.read_only;
  json["admin"] = rules.admin;
  const auto quota = [](const std::optional<QuotaState>& state) {
    if (!state) return Json(nullptr);
    return Json{{"per_minute", state->per_minute}, {"left", state->left}};
  };
  const double now = steady_seconds();
  json["requests"] = quota(request.key->requests(now));
  json["compute_seconds"] = quota(request.key->compute_seconds(now));
  return json;
}

HttpResponse page_response() {
  HttpResponse response;
  response.content_type = "text/html; charset=utf-8";
  response.fixed_body = page_html();
  // What the page may load is its own business; only a header can say who may frame it.
  response.fields.push_back({"Content-Security-Policy", "frame-ancestors 'none'"});
  response.fields.push_back({"Cache-Control", "no-cache"});
  return response;
}

}  // namespace

Json plan_json(const ServedModel& model, double budget) {
  const Selection selection = model.config.selection(budget);
  const ModelShape& shape = model.config.shape;
  Json json;
  json["budget"] = budget;
  json["heads"] = Json::array();
  json["ffn"] = Json::array();
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    json["heads"].push_back(selection.kept[static_cast<size_t>(layer)].size());
    json["ffn"].push_back(selection.ffn_of(layer, shape.ffn));
  }
  json["kept_heads"] = selection.kept;
  json["macs_fraction"] = macs_fraction(model, selection);
  json["p50_ms_32"] = model.table.estimate(budget, 32).median_ms;
  json["p50_ms_128"] = model.table.estimate(budget, 128).median_ms;
  return json;
}

Json models_json(const Backend& backend, double min_budget) {
  Json models = Json::array();
  for (const ServedModel& model : backend.models()) {
    models.push_back(model_json(model, min_budget, models.empty()));
  }
  Json json;
  json["models"] = std::move(models);
  return json;
}

Json live_json(const LiveState& live) {
  Json json;
  json["queue"] = live.queue;
  json["queue_limit"] = live.queue_limit;
  json["requests_per_second"] = live.requests_per_second;
  json["p50_ms"] = live.p50_ms;
  json["p99_ms"] = live.p99_ms;
  json["budget"] = live.budget;
  json["min_budget"] = live.min_budget;
  json["mean_budget"] = live.mean_budget;
  json["refused"] = live.refused;
  json["answered"] = live.answered;
  json["abandoned"] = live.abandoned;
  json["draining"] = live.draining;
  json["history"] = Json::array();
  for (const LiveSecond& second : live.history) {
    json["history"].push_back({{"age_s", second.age_s},
                               {"requests_per_second", second.requests_per_second},
                               {"p50_ms", second.p50_ms},
                               {"p99_ms", second.p99_ms},
                               {"budget", second.budget},
                               {"refused", second.refused}});
  }
  return json;
}

std::vector<Route> info_routes(const Backend& backend, const ServerFacts& facts) {
  const auto started = std::chrono::steady_clock::now();
  Route page = immediate("/", [](const ApiRequest&) { return page_response(); });
  page.needs_key = false;
  page.quick = true;
  return {
      std::move(page),
      immediate("/v1/models",
                [&backend, least = facts.min_budget](const ApiRequest&) {
                  return json_response(models_json(backend, least));
                }),
      immediate("/v1/plan",
                [&backend](const ApiRequest& request) {
                  const ServedModel& model = queried_model(backend, request);
                  const std::string budget = query_value(request, "budget", "1");
                  return json_response(plan_json(model, parse_budget(budget)));
                }),
      immediate("/v1/live",
                [&backend](const ApiRequest& request) {
                  return json_response(
                      live_json(backend.live(queried_model(backend, request).name)));
                }),
      immediate("/v1/key",
                [](const ApiRequest& request) { return json_response(key_json(request)); }),
      immediate("/info",
                [&backend, facts, started](const ApiRequest&) {
                  return json_response(info_json(backend, facts, seconds_since(started)));
                }),
      immediate("/metrics",
                [facts](const ApiRequest&) {
                  HttpResponse response;
                  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
                  response.body = facts.metrics_text();
                  return response;
                }),
      immediate("/docs/openapi.json",
                [](const ApiRequest&) {
                  HttpResponse response;
                  response.fixed_body = openapi_json();
                  return response;
                }),
  };
}

}  // namespace headroom::server
