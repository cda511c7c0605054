// A policy as people read it: its rungs, where texts stop, and what was promised.
#pragma once

#include <string>

#include "budget/ladder/policy.h"

namespace headroom {

std::string policy_text(const Policy& policy);

}  // namespace headroom
