#include "server/telemetry/logged_metrics.h"

namespace headroom {

void LoggedMetrics::call_refused(const std::string& model, const CallRefused& call,
                                 int64_t dropped) noexcept {
  Metrics::call_refused(model, call, dropped);
  if (call.why == Refusal::failed) {
    log_.event("call_failed", {{"model", model}, {"why", call.message}});
  }
}

void LoggedMetrics::request_done(const HttpHead& head, const HttpResponse& response,
                                 double seconds) noexcept {
  Metrics::request_done(head, response, seconds);
  if (!every_request_) return;
  log_.event("request", {{"method", head.method},
                         {"target", head.target},
                         {"status", response.status},
                         {"ms", seconds * 1000}});
}

void LoggedMetrics::request_failed(const std::string& why) noexcept {
  Metrics::request_failed(why);
  log_.event("request_failed", {{"why", why}});
}

}  // namespace headroom
