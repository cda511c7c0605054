// POST /v1/embed: the texts of /v1/classify, with "dimensions"? (only the first so many) and
// "prompt"? (the name of one of the model's). A vector a text.
#pragma once

#include "server/api/texts.h"

namespace headroom::server {

// Throws HttpError naming the field.
AnswerOptions embed_options(const Json& body);
inline const std::vector<std::string_view> embed_keys = {"dimensions", "prompt"};

// `backend` outlives the route.
Route embed_route(Backend& backend, const CallLimits& limits);

}  // namespace headroom::server
