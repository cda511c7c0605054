#include "server/api/classify.h"

namespace headroom::server {
namespace {

AnswerOptions no_options(const Json& /*body*/) {
  return {};
}

}  // namespace

TextsRequest parse_classify(const std::string& body, const CallLimits& limits) {
  return parse_texts(body, limits, {});
}

Route classify_route(Backend& backend, const CallLimits& limits) {
  return texts_route(backend, limits, "/v1/classify", {}, no_options);
}

}  // namespace headroom::server
