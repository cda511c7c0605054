// What a result must say about where and when it was made.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"

namespace headroom {

std::string cpu_name();           // "Intel(R) Xeon(R) ..." as the system names it
std::string today();              // "2026-11-15", UTC
int64_t peak_memory_bytes();      // most memory this process has held so far
int64_t resident_memory_bytes();  // that it holds now; 0 where the system does not say

// That could be had now without swapping: the least of what the system and the control group that
// this process is in leave. The largest number where neither says.
int64_t available_memory_bytes();

// {"cpu": ..., "cores": ..., "memory_gib": ..., "system": ...}
Json describe_machine();

}  // namespace headroom
