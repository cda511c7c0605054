#include "server/telemetry/logged_metrics.h"

#include <fmt/chrono.h>

#include <chrono>

#include "server/telemetry/trace.h"

namespace headroom::server {
namespace {

// "2026-11-15T10:00:00.123Z", so many seconds ago.
std::string time_text(double seconds_ago) {
  using Clock = std::chrono::system_clock;
  const auto then = std::chrono::floor<std::chrono::milliseconds>(
      Clock::now() -
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds_ago)));
  const auto ms = then.time_since_epoch() % std::chrono::seconds(1);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(Clock::to_time_t(then)),
                     ms.count());
}

}  // namespace

void LoggedMetrics::call_refused(const std::string& model, const CallRefused& call,
                                 int64_t texts) noexcept {
  Metrics::call_refused(model, call, texts);
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
    const Trace trace =
        read_traceparent(head.traceparent).value_or(continue_trace("", head.request_id));
    const bool notable = response.status == 429 || response.status >= 499;
    if (!notable && !is_sampled(trace.id, logged_share_)) return;
    // Without the query, in which people put what is not meant for logs.
    Json facts = {
        {"method", head.method},         {"target", head.target.substr(0, head.target.find('?'))},
        {"status", response.status},     {"ms", seconds * 1000},
        {"request_id", head.request_id}, {"trace_id", trace.id},
        {"span_id", trace.span},         {"start", time_text(seconds)}};
    if (!head.parent_span.empty()) facts["parent_span_id"] = head.parent_span;
    if (!response.model.empty()) facts["model"] = response.model;
    if (response.inference_ms > 0) {
      facts["queue_ms"] = response.queue_ms;
      facts["inference_ms"] = response.inference_ms;
      facts["predicted_ms"] = response.predicted_ms;
      facts["budget"] = response.budget;
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
