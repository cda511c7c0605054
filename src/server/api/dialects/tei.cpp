#include "server/api/dialects/tei.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "engine/answers/answer_json.h"
#include "engine/answers/rank.h"
#include "engine/answers/vectors.h"
#include "server/api/dialects/inputs.h"
#include "server/api/embed.h"
#include "server/api/ranking_call.h"
#include "server/api/texts.h"
#include "server/api/texts_call.h"

namespace headroom::server {
namespace {

[[noreturn]] void unprocessable(const std::string& complaint) {
  throw HttpError(HttpErrorCode::unprocessable, complaint);
}

// What all three bodies have. `Call::texts` are views of the body.
struct TeiRequest {
  Json body;
  Call call = {};
  const ServedModel* model = nullptr;
  bool may_truncate = true;
};

// `own_path` is ours for the same: /v1/classify, /v1/embed or /v1/rerank.
std::shared_ptr<TeiRequest> parse_request(const Backend& backend, const CallLimits& limits,
                                          const ApiRequest& request, std::string_view own_path,
                                          std::vector<std::string_view> own) {
  const auto parsed = std::make_shared<TeiRequest>(
      TeiRequest{parse_body(request.body, limits, most_token_ids(limits))});
  const Json& body = parsed->body;
  own.insert(own.end(), {"model", "budget", "latency_ms", "truncate", "truncation_direction"});
  require_known_keys(body, "the body", own);
  parsed->model = &model_at(backend, request, text_field(body, "model").value_or(""), own_path);
  parsed->call.model = parsed->model->name;
  read_spending(body, "budget", "latency_ms", parsed->call);
  parsed->may_truncate = flag_field(body, "truncate").value_or(true);
  const std::string direction = text_field(body, "truncation_direction").value_or("Right");
  if (direction != "Right" && direction != "right") {
    unprocessable(
        fmt::format("truncation_direction is {}: here the model says what is read of long "
                    "texts, and a request may say Right",
                    shown(Json(direction))));
  }
  return parsed;
}

const Json& required(const Json& body, const char* key) {
  if (!body.contains(key)) bad_field(fmt::format("{} is missing", key));
  return body[key];
}

// Throws for a text that the model does not take whole, where the request asks for that.
void check_length(const TeiRequest& request, const Text& text) {
  if (request.may_truncate) return;
  const ServedModel& model = *request.model;
  if (!model.tokenise(text).truncated) return;
  throw HttpError(HttpErrorCode::payload_too_large,
                  fmt::format("a text is longer than the {} tokens that model \"{}\" takes; "
                              "truncate cuts it",
                              model.config.longest_input(), model.name));
}

// "a", ["a"], ["a", "b"] (a pair), or a list of such lists.
struct PredictInputs {
  std::vector<Text> texts;
  bool is_list = false;
};

Text text_or_pair(const Json& list) {
  if (list.empty() || list.size() > 2) {
    bad_field("inputs: a list of texts is one text or a pair; a batch is a list of such lists");
  }
  Text text{text_value(list[0], "inputs")};
  if (list.size() == 2) text.pair = text_value(list[1], "inputs");
  return text;
}

PredictInputs predict_inputs(const Json& inputs, const CallLimits& limits) {
  if (!inputs.is_array()) return {{{text_value(inputs, "inputs")}}, false};
  if (!inputs.empty() && !inputs[0].is_array()) return {{text_or_pair(inputs)}, false};
  check_text_count(inputs.size(), limits.texts);
  PredictInputs read{{}, true};
  for (const Json& list : inputs) {
    if (!list.is_array()) bad_field("inputs mixes texts and lists of them");
    read.texts.push_back(text_or_pair(list));
  }
  return read;
}

// Every label, the likeliest first; of a model that gives a number, that.
Json predictions(const ModelConfig& config, const Answer& answer, bool raw_scores) {
  Json list = Json::array();
  if (traits(config.task).output == OutputForm::score) {
    list.push_back({{"score", raw_scores ? answer.logit : answer.score},
                    {"label", config.labels.empty() ? "score" : config.labels.front()}});
    return list;
  }
  for (const size_t i : best_labels(answer, answer.scores.size())) {
    list.push_back({{"score", answer.scores[i]}, {"label", config.labels[i]}});
  }
  return list;
}

Abandon predict(Backend& backend, const CallLimits& limits, const ApiRequest& request,
                Reply reply) {
  const auto parsed =
      parse_request(backend, limits, request, "/v1/classify", {"inputs", "raw_scores"});
  const ServedModel& model = *parsed->model;
  const bool raw_scores = flag_field(parsed->body, "raw_scores").value_or(false);
  if (raw_scores && traits(model.config.task).output != OutputForm::score) {
    unprocessable("raw_scores: this server gives probabilities of labels, not their logits");
  }
  PredictInputs inputs = predict_inputs(required(parsed->body, "inputs"), limits);
  for (const Text& text : inputs.texts) check_length(*parsed, text);
  parsed->call.texts = std::move(inputs.texts);
  const auto format = [&model, raw_scores, is_list = inputs.is_list](const CallAnswer& answer) {
    Json body = Json::array();
    for (const Answer& text : answer.texts) {
      body.push_back(predictions(model.config, text, raw_scores));
    }
    return json_response(is_list ? body : body[0]);
  };
  return submit_call(backend, parsed->call, request, format, std::move(reply));
}

Abandon embed(Backend& backend, const CallLimits& limits, const ApiRequest& request, Reply reply) {
  const auto parsed = parse_request(backend, limits, request, "/v1/embed",
                                    {"inputs", "prompt_name", "normalize", "dimensions"});
  const ServedModel& model = *parsed->model;
  Json& body = parsed->body;
  if (body.contains("dimensions") && body["dimensions"].is_null()) body.erase("dimensions");
  AnswerOptions options = embed_options(body);
  options.prompt = text_field(body, "prompt_name");
  const bool normalize = flag_field(body, "normalize").value_or(true);
  if (!normalize && model.config.output.vector.normalize) {
    unprocessable(fmt::format("normalize is false, but the vectors of model \"{}\" have length 1",
                              model.name));
  }
  Call& call = parsed->call;
  read_texts_or_ids(required(body, "inputs"), "inputs", model, limits, call);
  for (const Text& text : call.texts) check_length(*parsed, text);
  const auto texts = std::make_shared<const TextsCall>(model, options, limits, call);
  const auto format = [&model, texts, normalize](const CallAnswer& answer) {
    Json vectors = Json::array();
    for (Answer& text : texts->answers(answer)) {
      if (normalize && !model.config.output.vector.normalize) normalise_vector(text.embedding);
      Json json;
      add_answer(model.config, text, /*raw_scores=*/false, json);
      vectors.push_back(std::move(json["embedding"]));
    }
    return json_response(vectors);
  };
  return submit_call(backend, call, request, format, std::move(reply));
}

Abandon rerank(Backend& backend, const CallLimits& limits, const ApiRequest& request, Reply reply) {
  const auto parsed = parse_request(backend, limits, request, "/v1/rerank",
                                    {"query", "texts", "raw_scores", "return_text"});
  const ServedModel& model = *parsed->model;
  const Json& body = parsed->body;
  const std::string_view query = text_value(required(body, "query"), "query");
  const Json& texts = required(body, "texts");
  if (!texts.is_array()) bad_field("texts is not a list");
  check_text_count(texts.size(), limits.most_inputs());
  std::vector<std::string_view> passages;
  for (const Json& text : texts) {
    passages.push_back(text_value(text, "texts"));
    check_length(*parsed, {query, passages.back()});
  }
  const bool raw_scores = flag_field(body, "raw_scores").value_or(false);
  const bool return_text = flag_field(body, "return_text").value_or(false);
  parsed->call.inputs = query_pairs(*model.engine, query, passages);
  const auto format = [parsed, raw_scores, return_text](const CallAnswer& answer) {
    Json ranks = Json::array();
    for (const size_t i : ranking(answer.texts)) {
      const Answer& text = answer.texts[i];
      Json rank = {{"index", i}, {"score", raw_scores ? text.logit : text.score}};
      if (return_text) rank["text"] = parsed->body["texts"][i];
      ranks.push_back(std::move(rank));
    }
    return json_response(ranks);
  };
  return submit_ranking(backend, model, parsed->call, request, format, std::move(reply));
}

Json model_type(const ModelConfig& config) {
  if (config.task == Task::embed) {
    return {{"embedding", {{"pooling", pooling_table.name(config.output.vector.pooling)}}}};
  }
  Json labels;
  labels["id2label"] = Json::object();
  labels["label2id"] = Json::object();
  for (size_t i = 0; i < config.labels.size(); ++i) {
    labels["id2label"][std::to_string(i)] = config.labels[i];
    labels["label2id"][config.labels[i]] = i;
  }
  return {{config.task == Task::rerank ? "reranker" : "classifier", std::move(labels)}};
}

}  // namespace

Json tei_model_facts(const ServedModel& model) {
  Json json;
  json["model_id"] = model.name;
  json["model_sha"] = nullptr;
  json["model_dtype"] = model.table.precision;
  json["model_type"] = model_type(model.config);
  json["max_input_length"] = model.config.longest_input();
  json["auto_truncate"] = true;
  return json;
}

std::vector<Route> tei_routes(Backend& backend, const CallLimits& limits) {
  using Answering =
      Abandon (*)(Backend&, const CallLimits&, const ApiRequest& request, Reply reply);
  const auto posted = [&backend, limits](const char* route, Answering answer) -> Route {
    return {"POST", route, true,
            [&backend, limits, answer](const ApiRequest& request, Reply reply) {
              return answer(backend, limits, request, std::move(reply));
            }};
  };
  Route health = immediate("/health", [&backend](const ApiRequest& request) {
    if (backend.ready()) return json_response(Json::object());
    return error_response({HttpErrorCode::draining, "this server is shutting down"}, request.shape);
  });
  health.needs_key = false;
  health.quick = true;
  return {posted("/predict", predict), posted("/embed", embed), posted("/rerank", rerank),
          std::move(health)};
}

}  // namespace headroom::server
