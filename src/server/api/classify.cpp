#include "server/api/classify.h"

#include <fmt/format.h>

#include <utility>

namespace headroom::server {
namespace {

Text one_text(const Json& value, const std::string& name) {
  if (!value.is_object()) return {text_value(value, name), std::nullopt};
  require_known_keys(value, name, {"text", "text_pair"});
  if (!value.contains("text")) {
    throw HttpError(HttpErrorCode::bad_request, fmt::format("{}.text is missing", name));
  }
  Text text{text_value(value["text"], name + ".text"), std::nullopt};
  if (value.contains("text_pair")) text.pair = text_value(value["text_pair"], name + ".text_pair");
  return text;
}

std::vector<Text> read_inputs(const Json& inputs, const CallLimits& limits) {
  if (!inputs.is_array()) return {one_text(inputs, "inputs")};
  check_text_count(inputs.size(), limits);
  std::vector<Text> texts;
  texts.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    texts.push_back(one_text(inputs[i], fmt::format("inputs[{}]", i)));
  }
  return texts;
}

}  // namespace

ClassifyRequest parse_classify(const std::string& body, const CallLimits& limits) {
  ClassifyRequest request{parse_body(body, limits), {}};
  const Json& json = request.body;
  require_known_keys(json, "the body", {"inputs", "model", "budget", "latency_ms"});
  if (!json.contains("inputs")) {
    throw HttpError(HttpErrorCode::bad_request, "inputs is missing");
  }
  if (json.contains("model")) request.call.model = text_value(json["model"], "model");
  read_spending(json, "budget", "latency_ms", request.call);
  request.call.texts = read_inputs(json["inputs"], limits);
  return request;
}

Json classify_body(const ServedModel& model, const CallAnswer& answer, double total_ms) {
  const std::vector<std::string>& labels = model.config.labels;
  Json body;
  body["model"] = model.name;
  body["answers"] = Json::array();
  for (const Answer& text : answer.texts) {
    Json entry;
    entry["label"] = labels[text.label];
    entry["scores"] = Json::object();
    for (size_t i = 0; i < labels.size(); ++i) entry["scores"][labels[i]] = text.scores[i];
    entry["budget"] = text.budget;
    entry["active_heads"] = text.active_heads;
    entry["active_ffn"] = text.active_ffn;
    entry["tokens"] = text.tokens;
    body["answers"].push_back(std::move(entry));
  }
  body["queue_ms"] = answer.queue_ms;
  body["inference_ms"] = answer.inference_ms;
  body["predicted_ms"] = answer.predicted_ms;
  body["total_ms"] = total_ms;
  return body;
}

Route classify_route(Backend& backend, const CallLimits& limits) {
  return {"POST", "/v1/classify", true, [&backend, limits](const ApiRequest& request, Reply reply) {
            ClassifyRequest parsed = parse_classify(request.body, limits);
            const ServedModel& model = find_model(backend, parsed.call.model);
            parsed.call.model = model.name;
            const auto format = [&model, arrived = request.arrived](const CallAnswer& answer) {
              return classify_body(model, answer, 1000 * seconds_since(arrived));
            };
            return submit_call(backend, std::move(parsed.call), request, format, std::move(reply));
          }};
}

}  // namespace headroom::server
