#include "server/api/dialects/openai.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "engine/answers/answer_json.h"
#include "server/api/dialects/inputs.h"
#include "server/api/embed.h"
#include "server/api/texts_call.h"

namespace headroom::server {
namespace {

constexpr const char* path = "/v1/embeddings";

bool wants_base64(const Json& body) {
  const std::string format = text_field(body, "encoding_format").value_or("float");
  if (format != "float" && format != "base64") {
    throw HttpError(
        HttpErrorCode::bad_request,
        fmt::format("encoding_format is {}, known are float and base64", shown(Json(format))));
  }
  return format == "base64";
}

// RFC 4648 of the floats' bytes, the lowest of each first.
std::string base64(const std::vector<float>& vector) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto bytes = std::as_bytes(std::span(vector));
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? std::to_integer<uint32_t>(bytes[i + k]) : 0);
    }
    for (size_t k = 0; k < 4; ++k) {
      text += k <= count ? digits[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

Json embeddings_body(const ServedModel& model, const std::vector<Answer>& answers, bool as_base64) {
  Json body;
  body["object"] = "list";
  body["data"] = Json::array();
  int64_t tokens = 0;
  for (const Answer& answer : answers) {
    Json entry;
    entry["object"] = "embedding";
    entry["index"] = body["data"].size();
    if (as_base64) {
      entry["embedding"] = base64(answer.embedding);
    } else {
      Json json;
      add_answer(model.config, answer, /*raw_scores=*/false, json);
      entry["embedding"] = std::move(json["embedding"]);
    }
    body["data"].push_back(std::move(entry));
    tokens += answer.tokens;
  }
  body["model"] = model.name;
  body["usage"] = {{"prompt_tokens", tokens}, {"total_tokens", tokens}};
  return body;
}

Abandon embeddings(Backend& backend, const CallLimits& limits, const ApiRequest& request,
                   Reply reply) {
  Json body = parse_body(request.body, limits, most_token_ids(limits));
  require_known_keys(body, "the body",
                     {"input", "model", "encoding_format", "dimensions", "user", "budget",
                      "latency_ms", "prompt"});
  if (!body.contains("input")) throw HttpError(HttpErrorCode::bad_request, "input is missing");
  if (body.contains("dimensions") && body["dimensions"].is_null()) body.erase("dimensions");
  const bool as_base64 = wants_base64(body);
  text_field(body, "user");  // whose request it is says the key
  const AnswerOptions options = embed_options(body);
  const ServedModel& model =
      model_at(backend, request, text_field(body, "model").value_or(""), "/v1/embed");
  Call call;
  call.model = model.name;
  read_spending(body, "budget", "latency_ms", call);
  read_texts_or_ids(body["input"], "input", model, limits, call);
  const auto texts = std::make_shared<const TextsCall>(model, options, limits, call);
  const auto format = [&model, texts, as_base64](const CallAnswer& answer) {
    return json_response(embeddings_body(model, texts->answers(answer), as_base64));
  };
  return submit_call(backend, std::move(call), request, format, std::move(reply));
}

}  // namespace

std::vector<Route> openai_routes(Backend& backend, const CallLimits& limits) {
  return {{"POST", path, true, [&backend, limits](const ApiRequest& request, Reply reply) {
             return embeddings(backend, limits, request, std::move(reply));
           }}};
}

}  // namespace headroom::server
