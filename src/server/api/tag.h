// POST /v1/tag: the texts of /v1/classify, with "aggregation"? (simple, first, average, max) and
// "all_tokens"?. The entities of each text, however long it is.
#pragma once

#include "server/api/texts.h"

namespace headroom::server {

// Throws HttpError naming the field.
AnswerOptions tag_options(const Json& body);
inline const std::vector<std::string_view> tag_keys = {"aggregation", "all_tokens"};

// `backend` outlives the route.
Route tag_route(Backend& backend, const CallLimits& limits);

}  // namespace headroom::server
