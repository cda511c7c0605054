// The page about what servers do when more is asked than they can.
#pragma once

#include <string>

#include "base/json.h"

namespace headroom::overload {

// Answers within the deadline, of a run's answers.
double in_time_of_answers(const Json& run);

// Of what main.cpp measured (docs/results/overload.json).
std::string overload_page(const Json& results);

}  // namespace headroom::overload
