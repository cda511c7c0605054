// Which request this is, for whoever follows it through several services: W3C's traceparent and
// X-Request-Id, taken over from the client or made up.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace headroom::server {

struct Trace {
  std::string id;    // 32 hexadecimal digits, of the whole trace
  std::string span;  // 16, of our part
  std::string flags = "00";
  std::string request_id;
  std::string parent_span = {};  // the client's; empty: the trace begins here

  std::string traceparent() const { return "00-" + id + "-" + span + "-" + flags; }
};

// Of the two header fields as the client sent them; empty or damaged ones are replaced, never
// refused. A request without an id of its own gets the trace's.
Trace continue_trace(std::string_view traceparent, std::string_view request_id);

// Of a traceparent that is whole, as ours are, its own parts; otherwise nothing.
std::optional<Trace> read_traceparent(std::string_view traceparent);

// The same for every server on the way, so that they log the same requests: whether a trace is
// among a share of all.
bool is_sampled(const std::string& trace_id, double share);

}  // namespace headroom::server
