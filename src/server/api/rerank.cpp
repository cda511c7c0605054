#include "server/api/rerank.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/answers/answer_json.h"
#include "engine/answers/rank.h"
#include "server/api/ranking_call.h"
#include "server/api/texts.h"

namespace headroom::server {
namespace {

// The list of passages, under the one name that the body has for it.
const Json& passage_list(const Json& body) {
  const Json* found = nullptr;
  for (const char* name : {"inputs", "texts", "documents"}) {
    if (!body.contains(name)) continue;
    if (found != nullptr) bad_field("give inputs, texts or documents, not two of them");
    if (!body[name].is_array()) bad_field(fmt::format("{} is not a list", name));
    found = &body[name];
  }
  if (found == nullptr) bad_field("inputs is missing");
  return *found;
}

Json rerank_body(const ServedModel& model, const RerankRequest& request, const CallAnswer& answer,
                 double total_ms) {
  Json body;
  body["model"] = model.name;
  body["answers"] = Json::array();
  std::vector<size_t> order = ranking(answer.texts);
  if (request.top > 0) order.resize(std::min(order.size(), request.top));
  for (const size_t i : order) {
    Json entry;
    entry["index"] = i;
    add_answer(model.config, answer.texts[i], request.raw_scores, entry);
    entry["text"] = request.passages[i];
    add_cost(answer.texts[i], entry);
    body["answers"].push_back(std::move(entry));
  }
  add_times(answer, total_ms, body);
  return body;
}

}  // namespace

RerankRequest parse_rerank(const std::string& body, const CallLimits& limits) {
  RerankRequest request{parse_body(body, limits), {}, {}, {}};
  const Json& json = request.body;
  require_known_keys(json, "the body",
                     {"query", "inputs", "texts", "documents", "model", "budget", "latency_ms",
                      "top", "raw_scores"});
  if (!json.contains("query")) bad_field("query is missing");
  request.query = text_value(json["query"], "query");
  const Json& passages = passage_list(json);
  check_text_count(passages.size(), limits.most_inputs());
  for (size_t i = 0; i < passages.size(); ++i) {
    request.passages.push_back(text_value(passages[i], fmt::format("inputs[{}]", i)));
  }
  if (json.contains("model")) request.call.model = text_value(json["model"], "model");
  read_spending(json, "budget", "latency_ms", request.call);
  if (json.contains("top")) {
    if (!json["top"].is_number_unsigned()) bad_field("top is not a whole number of at least 0");
    request.top = json["top"].get<size_t>();
  }
  if (json.contains("raw_scores")) {
    if (!json["raw_scores"].is_boolean()) bad_field("raw_scores is not true or false");
    request.raw_scores = json["raw_scores"].get<bool>();
  }
  return request;
}

Route rerank_route(Backend& backend, const CallLimits& limits) {
  return {
      "POST", "/v1/rerank", true, [&backend, limits](const ApiRequest& request, Reply reply) {
        const auto parsed = std::make_shared<RerankRequest>(parse_rerank(request.body, limits));
        const ServedModel& model = find_model(backend, request, parsed->call.model);
        require_path(model, "/v1/rerank");
        Call call = parsed->call;
        call.model = model.name;
        call.inputs = query_pairs(*model.engine, parsed->query, parsed->passages);
        const auto format = [&model, parsed, arrived = request.arrived](const CallAnswer& answer) {
          return json_response(rerank_body(model, *parsed, answer, 1000 * seconds_since(arrived)));
        };
        return submit_ranking(backend, model, std::move(call), request, format, std::move(reply));
      }};
}

}  // namespace headroom::server
