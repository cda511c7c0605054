// What the API takes apart: the first byte says whether the rest is a body of /v1/classify, one of
// KServe's (binary data begins at a zero), a target, or a body of /v1/rerank, /v1/embed or /v1/tag.
#include "input.h"
#include "server/api/classify.h"
#include "server/api/dialects/kserve.h"
#include "server/api/dialects/kserve_tensors.h"
#include "server/api/embed.h"
#include "server/api/rerank.h"
#include "server/api/tag.h"
#include "server/http/url.h"
#include "target.h"

namespace headroom::fuzz {
namespace {

using namespace server;

void check_call(const Call& call, const CallLimits& limits) {
  require(!call.texts.empty() && call.texts.size() <= static_cast<size_t>(limits.texts),
          "a request has between one text and the limit");
  require(!call.budget || (*call.budget >= 0 && *call.budget <= 1), "a budget is in range");
  require(!call.latency_ms || *call.latency_ms > 0, "a latency is above 0");
}

const Target requests("requests", [](std::string_view input) {
  Numbers numbers(input);
  const int64_t which = numbers.between(0, 5);
  const std::string body(numbers.rest());
  const CallLimits limits{.texts = 4};
  try {
    if (which == 0) {
      const TextsRequest request = parse_classify(body, limits);
      check_call(request.call, limits);
    } else if (which == 1) {
      const size_t binary = body.find('\0');  // which no JSON has
      const InferRequest request = binary == std::string::npos
                                       ? parse_infer(body, limits)
                                       : parse_infer(body, limits, std::to_string(binary));
      check_call(request.call, limits);
      require(request.outputs.size() <= all_tensors().size(), "no output is asked for twice");
    } else if (which == 2) {
      parse_url(body);
    } else if (which == 3) {
      const RerankRequest request = parse_rerank(body, limits);
      require(!request.passages.empty() &&
                  request.passages.size() <= static_cast<size_t>(limits.most_inputs()),
              "a ranking has between one passage and the limit");
    } else {
      const bool embed = which == 4;
      const TextsRequest request = parse_texts(body, limits, embed ? embed_keys : tag_keys);
      check_call(request.call, limits);
      embed ? embed_options(request.body) : tag_options(request.body);
    }
  } catch (const HttpError& error) {
    require(http_status(error.code()) < 500, "a bad request is the client's fault");
  }
});

}  // namespace
}  // namespace headroom::fuzz
