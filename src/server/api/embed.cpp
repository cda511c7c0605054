#include "server/api/embed.h"

#include <fmt/format.h>

namespace headroom::server {

AnswerOptions embed_options(const Json& body) {
  AnswerOptions options;
  if (body.contains("dimensions")) {
    const Json& dimensions = body["dimensions"];
    if (!dimensions.is_number_integer()) {
      throw HttpError(HttpErrorCode::bad_request,
                      fmt::format("dimensions is {}, expected a whole number", shown(dimensions)));
    }
    options.dimensions = dimensions.get<int64_t>();
  }
  if (body.contains("prompt")) options.prompt = text_value(body["prompt"], "prompt");
  return options;
}

Route embed_route(Backend& backend, const CallLimits& limits) {
  return texts_route(backend, limits, "/v1/embed", embed_keys, embed_options);
}

}  // namespace headroom::server
