// How much a client may send, how slowly, and how many clients there may be.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>

namespace headroom {

struct HttpLimits {
  size_t header_bytes = 16'384;
  size_t body_bytes = 2'000'000;
  size_t connections = 1024;
  size_t held_bytes = std::numeric_limits<size_t>::max();  // of all requests at one time
  std::chrono::milliseconds idle{60'000};                  // between requests of one connection
  std::chrono::milliseconds read{10'000};   // from a request's first byte to its last
  std::chrono::milliseconds write{30'000};  // until the client has taken a response
  std::chrono::milliseconds linger{2'000};  // for the client to read a response and hang up
};

}  // namespace headroom
