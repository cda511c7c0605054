#include "server/http/response_head.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <iterator>

#include "server/http/error.h"

namespace headroom {
namespace {

// "Sun, 15 Nov 2026 10:00:00 GMT". Made once a second; called from one thread or several.
const std::string& date_text() {
  thread_local std::time_t made_at = -1;
  thread_local std::string text;
  const std::time_t now = std::time(nullptr);
  if (now != made_at) {
    made_at = now;
    text = fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(now));
  }
  return text;
}

}  // namespace

std::string response_head(const HttpResponse& response, bool keep_alive) {
  std::string head;
  head.reserve(512);
  auto out = std::back_inserter(head);
  fmt::format_to(out, "HTTP/1.1 {} {}\r\nServer: headroom\r\nDate: {}\r\n", response.status,
                 http_reason(response.status), date_text());
  if (response.status != 204) {
    fmt::format_to(out, "Content-Type: {}\r\nContent-Length: {}\r\n", response.content_type,
                   response.content().size());
  }
  head += "X-Content-Type-Options: nosniff\r\n";
  if (!response.request_id.empty()) {
    fmt::format_to(out, "X-Request-Id: {}\r\ntraceparent: {}\r\n", response.request_id,
                   response.traceparent);
  }
  for (const HttpField& field : response.fields) {
    fmt::format_to(out, "{}: {}\r\n", field.name, field.value);
  }
  head += keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return head;
}

}  // namespace headroom
