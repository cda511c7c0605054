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

// {"cpu": ..., "cores": ..., "memory_gib": ..., "system": ...}
Json describe_machine();

}  // namespace headroom
