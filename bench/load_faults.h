// Clients that a server must survive: killed ones, slow ones, and ones that send anything but HTTP.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "load_socket.h"

namespace headroom {

struct FaultSettings {
  int port = 0;
  Transport transport = Transport::plain;
  std::string fields = {};  // of every request's header, such as a key
};

// Misbehaves from four threads for `seconds`. {"exchanges", "by_fault", "by_status",
// "server_errors"}: statuses above 499 must not occur.
Json run_faults(const FaultSettings& settings, double seconds, uint64_t seed);

}  // namespace headroom
