// What the API takes apart: the first byte says whether the rest is a body of /v1/classify, one of
// KServe's, or a target.
#include "input.h"
#include "server/api/classify.h"
#include "server/api/kserve.h"
#include "server/http/url.h"
#include "target.h"

namespace headroom::fuzz {
namespace {

using namespace server;

void check_call(const Call& call, const CallLimits& limits) {
  require(!call.texts.empty() && call.texts.size() <= static_cast<size_t>(limits.texts),
          "a request has between one text and the limit");
  require(!call.budget || (*call.budget > 0 && *call.budget <= 1), "a budget is in range");
  require(!call.latency_ms || *call.latency_ms > 0, "a latency is above 0");
}

const Target requests("requests", [](std::string_view input) {
  Numbers numbers(input);
  const int64_t which = numbers.between(0, 2);
  const std::string body(numbers.rest());
  const CallLimits limits{.texts = 4};
  try {
    if (which == 0) {
      const ClassifyRequest request = parse_classify(body, limits);
      check_call(request.call, limits);
    } else if (which == 1) {
      const InferRequest request = parse_infer(body, limits);
      check_call(request.call, limits);
      require(request.outputs.size() <= 5, "no output is asked for twice");
    } else {
      parse_url(body);
    }
  } catch (const HttpError& error) {
    require(http_status(error.code()) < 500, "a bad request is the client's fault");
  }
});

}  // namespace
}  // namespace headroom::fuzz
