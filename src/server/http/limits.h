// How much a client may send, how slowly, and how many clients there may be.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace headroom {

struct HttpLimits {
  size_t header_bytes = 16'384;
  size_t body_bytes = 2'000'000;
  size_t connections = 1024;
  size_t fields = 100;  // in a header: each takes far more memory than the four bytes it may have
  // Of all bodies of a port at one time, from their announcement to their answer, without the first
  // `small_body_bytes` of each: small requests get in however many large ones are half sent.
  size_t held_bytes = 128 << 20;
  size_t small_body_bytes = 16'384;
  std::vector<std::string> allowed_hosts;   // that Host may name (host.h); empty: any
  std::chrono::milliseconds idle{60'000};   // between requests of one connection
  std::chrono::milliseconds read{10'000};   // from a request's first byte to its last
  std::chrono::milliseconds write{30'000};  // until the client has taken a response
  std::chrono::milliseconds linger{2'000};  // for the client to read a response and hang up
};

}  // namespace headroom
