#include "server/api/tag.h"

#include <fmt/format.h>

#include "engine/tags/entities.h"

namespace headroom::server {

AnswerOptions tag_options(const Json& body) {
  AnswerOptions options;
  if (body.contains("aggregation")) {
    const std::string& name = text_value(body["aggregation"], "aggregation");
    const auto aggregation = aggregation_table.find(name);
    if (!aggregation) {
      throw HttpError(HttpErrorCode::unprocessable,
                      fmt::format("aggregation is {}, known are {}", shown(Json(name)),
                                  aggregation_table.list()));
    }
    options.aggregation = *aggregation;
  }
  if (body.contains("all_tokens")) {
    if (!body["all_tokens"].is_boolean()) {
      throw HttpError(HttpErrorCode::bad_request, "all_tokens is not true or false");
    }
    options.token_tags = body["all_tokens"].get<bool>();
  }
  return options;
}

Route tag_route(Backend& backend, const CallLimits& limits) {
  return texts_route(backend, limits, "/v1/tag", tag_keys, tag_options);
}

}  // namespace headroom::server
