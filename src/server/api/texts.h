// What the bodies of /v1/classify, /v1/embed and /v1/tag share: texts, model and spending in, and
// an answer a text out.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "server/api/call.h"
#include "server/api/router.h"

namespace headroom::server {

struct TextsRequest {
  Json body;  // which the texts of the call are part of
  Call call;  // its model is empty for the default one
};

// `own` are the keys that a path has besides inputs, model, budget and latency_ms. Throws HttpError
// naming the field.
TextsRequest parse_texts(const std::string& body, const CallLimits& limits,
                         const std::vector<std::string_view>& own);

// What a request's own keys ask for; likewise.
using ReadOptions = AnswerOptions (*)(const Json& body);

// {"model", "answers", "queue_ms", …}; an answer has the keys of its output and what it cost. With
// `token_tags` a tagger's list their tokens.
Json texts_body(const ServedModel& model, const std::vector<Answer>& answers,
                const CallAnswer& answer, double total_ms, bool token_tags = false);

// Which path answers with models of a task: "/v1/embed".
std::string_view path_of(Task task);

// Throws HttpErrorCode::unprocessable, naming the path to ask, unless `path` answers with models of
// this task.
void require_path(const ServedModel& model, std::string_view path);

// `backend` outlives the route.
Route texts_route(Backend& backend, const CallLimits& limits, const std::string& path,
                  const std::vector<std::string_view>& own, ReadOptions read_options);

// What an answer cost, under the keys that all paths have.
void add_cost(const Answer& answer, Json& entry);

}  // namespace headroom::server
