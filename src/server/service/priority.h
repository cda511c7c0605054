// Classes of calls: those of a higher one run first, whatever the deadlines of the others are.
#pragma once

#include "base/enum_table.h"

namespace headroom::server {

enum class Priority { high, normal, low };  // in the order in which they run

inline constexpr auto priority_table = enum_table<Priority>(
    "priority", {{Priority::high, "high", "before everybody else"},
                 {Priority::normal, "normal", "what a client has that says nothing"},
                 {Priority::low, "low", "what others leave: work in the background"}});

}  // namespace headroom::server
