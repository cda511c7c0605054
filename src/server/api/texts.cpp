#include "server/api/texts.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "engine/answers/answer_json.h"
#include "server/api/texts_call.h"

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
  check_text_count(inputs.size(), limits.texts);
  std::vector<Text> texts;
  texts.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    texts.push_back(one_text(inputs[i], fmt::format("inputs[{}]", i)));
  }
  return texts;
}

}  // namespace

TextsRequest parse_texts(const std::string& body, const CallLimits& limits,
                         const std::vector<std::string_view>& own) {
  TextsRequest request{parse_body(body, limits), {}};
  const Json& json = request.body;
  std::vector<std::string_view> known = {"inputs", "model", "budget", "latency_ms"};
  known.insert(known.end(), own.begin(), own.end());
  require_known_keys(json, "the body", known);
  if (!json.contains("inputs")) {
    throw HttpError(HttpErrorCode::bad_request, "inputs is missing");
  }
  if (json.contains("model")) request.call.model = text_value(json["model"], "model");
  read_spending(json, "budget", "latency_ms", request.call);
  request.call.texts = read_inputs(json["inputs"], limits);
  return request;
}

void add_cost(const Answer& answer, Json& entry) {
  entry["budget"] = answer.budget;
  if (!answer.rungs.empty()) entry["rungs"] = answer.rungs;
  entry["active_heads"] = answer.active_heads;
  entry["active_ffn"] = answer.active_ffn;
  if (!entry.contains("tokens")) entry["tokens"] = answer.tokens;
}

Json texts_body(const ServedModel& model, const std::vector<Answer>& answers,
                const CallAnswer& answer, double total_ms, bool token_tags) {
  Json body;
  body["model"] = model.name;
  body["answers"] = Json::array();
  for (const Answer& text : answers) {
    Json entry;
    add_answer(model.config, text, /*raw_scores=*/false, entry);
    if (token_tags && text.token_tags.empty()) entry["tokens"] = Json::array();
    add_cost(text, entry);
    body["answers"].push_back(std::move(entry));
  }
  add_times(answer, total_ms, body);
  return body;
}

std::string_view path_of(Task task) {
  switch (traits(task).output) {
    case OutputForm::vector:
      return "/v1/embed";
    case OutputForm::tags:
      return "/v1/tag";
    default:
      return task == Task::rerank ? "/v1/rerank" : "/v1/classify";
  }
}

void require_path(const ServedModel& model, std::string_view path) {
  const std::string_view own = path_of(model.config.task);
  const bool scores = own == "/v1/rerank" && path == "/v1/classify";  // a pair at a time
  if (own == path || scores) return;
  throw HttpError(HttpErrorCode::unprocessable,
                  fmt::format("model \"{}\" is of task {}: ask {}", model.name,
                              task_name(model.config.task), own));
}

Route texts_route(Backend& backend, const CallLimits& limits, const std::string& path,
                  const std::vector<std::string_view>& own, ReadOptions read_options) {
  return {
      "POST", path, true,
      [&backend, limits, path, own, read_options](const ApiRequest& request, Reply reply) {
        TextsRequest parsed = parse_texts(request.body, limits, own);
        const AnswerOptions options = read_options(parsed.body);
        const ServedModel& model = find_model(backend, request, parsed.call.model);
        require_path(model, path);
        parsed.call.model = model.name;
        const auto texts = std::make_shared<const TextsCall>(model, options, limits, parsed.call);
        const auto format = [&model, texts, arrived = request.arrived](const CallAnswer& answer) {
          return json_response(texts_body(model, texts->answers(answer), answer,
                                          1000 * seconds_since(arrived), texts->token_tags()));
        };
        return submit_call(backend, std::move(parsed.call), request, format, std::move(reply));
      }};
}

}  // namespace headroom::server
