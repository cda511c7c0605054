// What the bodies of other servers' APIs have in common: a text, texts, token ids or lists of them
// under one key, and a model that need not be named where only one answers at the path.
#pragma once

#include <string>
#include <string_view>

#include "server/api/call.h"

namespace headroom::server {

// Lists of token ids are far more values than texts are.
size_t most_token_ids(const CallLimits& limits);

// The model of that name or, when it is empty, the first that `path` (one of ours: "/v1/embed")
// answers with and the request's key may ask. Throws HttpErrorCode::not_found, or unprocessable for
// a model of another task.
const ServedModel& model_at(const Backend& backend, const ApiRequest& request,
                            const std::string& name, std::string_view path);

// Gives `call` the texts of `value`, which messages call `name` and which lives until submit(), or
// the tokens of its ids. Ids are of the model's own vocabulary, without the special tokens around a
// text. Throws HttpErrorCode::bad_request for another form, unprocessable for too many or unknown
// ids.
void read_texts_or_ids(const Json& value, std::string_view name, const ServedModel& model,
                       const CallLimits& limits, Call& call);

// The boolean or text under a key that may be absent or null. Throws HttpErrorCode::bad_request.
std::optional<bool> flag_field(const Json& body, const std::string& key);
std::optional<std::string> text_field(const Json& body, const std::string& key);

}  // namespace headroom::server
