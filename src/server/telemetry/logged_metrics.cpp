#include "server/telemetry/logged_metrics.h"

namespace headroom::server {

void LoggedMetrics::call_refused(const std::string& model, const CallRefused& call,
                                 int64_t dropped) noexcept {
  Metrics::call_refused(model, call, dropped);
  if (call.why != Refusal::failed) return;
  try {
    log_.event("call_failed", {{"model", model}, {"why", call.message}});
  } catch (const std::bad_alloc&) {  // no line
  }
}

void LoggedMetrics::request_done(const HttpHead& head, const HttpResponse& response,
                                 double seconds) noexcept {
  Metrics::request_done(head, response, seconds);
  if (!every_request_) return;
  try {
    // Without the query, in which people put what is not meant for logs.
    Json facts = {{"method", head.method},
                  {"target", head.target.substr(0, head.target.find('?'))},
                  {"status", response.status},
                  {"ms", seconds * 1000}};
    if (!head.key_name.empty()) facts["key"] = head.key_name;
    log_.event("request", facts);
  } catch (const std::bad_alloc&) {  // no line
  }
}

void LoggedMetrics::request_failed(const std::string& why) noexcept {
  Metrics::request_failed(why);
  try {
    log_.event("request_failed", {{"why", why}});
  } catch (const std::bad_alloc&) {  // no line
  }
}

}  // namespace headroom::server
