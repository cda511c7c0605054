#include "server/telemetry/logged_metrics.h"

#include "server/telemetry/trace.h"

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
  if (logged_share_ <= 0) return;
  try {
    const Trace trace = continue_trace(head.traceparent, head.request_id);
    const bool notable = response.status == 429 || response.status >= 499;
    if (!notable && !is_sampled(trace.id, logged_share_)) return;
    // Without the query, in which people put what is not meant for logs.
    Json facts = {
        {"method", head.method},          {"target", head.target.substr(0, head.target.find('?'))},
        {"status", response.status},      {"ms", seconds * 1000},
        {"request_id", trace.request_id}, {"trace_id", trace.id}};
    if (!response.model.empty()) facts["model"] = response.model;
    if (response.inference_ms > 0) {
      facts["queue_ms"] = response.queue_ms;
      facts["inference_ms"] = response.inference_ms;
    }
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
