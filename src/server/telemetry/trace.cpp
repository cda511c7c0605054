#include "server/telemetry/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "base/random.h"

namespace headroom::server {
namespace {

constexpr size_t longest_request_id = 128;

uint64_t random_bits() {
  thread_local Random random = [] {
    std::random_device device;
    return Random(uint64_t{device()} << 32 | device());
  }();
  return random.next();
}

bool is_hexadecimal(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_zero(std::string_view text) {
  return text.find_first_not_of('0') == std::string_view::npos;
}

// 00-TRACE-SPAN-FLAGS; later versions may have more behind it.
bool is_traceparent(std::string_view text) {
  const bool form = text.size() >= 55 && text[2] == '-' && text[35] == '-' && text[52] == '-' &&
                    (text.size() == 55 || (text.substr(0, 2) != "00" && text[55] == '-'));
  return form && is_hexadecimal(text.substr(0, 2)) && text.substr(0, 2) != "ff" &&
         is_hexadecimal(text.substr(3, 32)) && !is_zero(text.substr(3, 32)) &&
         is_hexadecimal(text.substr(36, 16)) && !is_zero(text.substr(36, 16)) &&
         is_hexadecimal(text.substr(53, 2));
}

// It comes back in a header field and in the log.
bool is_request_id(std::string_view text) {
  return !text.empty() && text.size() <= longest_request_id &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127; });
}

}  // namespace

std::optional<Trace> read_traceparent(std::string_view traceparent) {
  if (!is_traceparent(traceparent)) return std::nullopt;
  Trace trace;
  trace.id = traceparent.substr(3, 32);
  trace.span = traceparent.substr(36, 16);
  trace.flags = traceparent.substr(53, 2);
  return trace;
}

Trace continue_trace(std::string_view traceparent, std::string_view request_id) {
  Trace trace;
  if (const std::optional<Trace> begun = read_traceparent(traceparent)) {
    trace = *begun;
    trace.parent_span = trace.span;
  } else {
    trace.id = fmt::format("{:016x}{:016x}", random_bits() | 1, random_bits());
  }
  trace.span = fmt::format("{:016x}", random_bits() | 1);
  trace.request_id = is_request_id(request_id) ? std::string(request_id) : trace.id;
  return trace;
}

bool is_sampled(const std::string& trace_id, double share) {
  const uint64_t last = std::stoull(trace_id.substr(trace_id.size() - 8), nullptr, 16);
  return static_cast<double>(last) < share * 4294967296.0;
}

}  // namespace headroom::server
