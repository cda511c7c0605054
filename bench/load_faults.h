// Clients that a server must survive: killed ones, slow ones, and ones that send anything but HTTP.
#pragma once

#include <cstdint>

#include "base/json.h"

namespace headroom {

// Misbehaves from `clients` threads for `seconds`. {"exchanges", "by_fault", "by_status",
// "server_errors"}: statuses above 499 must not occur.
Json run_faults(int port, int clients, double seconds, uint64_t seed);

}  // namespace headroom
