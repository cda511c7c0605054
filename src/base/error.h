// The one exception type of the library, and what its codes are called. The library throws; only
// cli/ and server/ talk to people and choose exit codes.
#pragma once

#include <string_view>

#include "headroom/error.h"

namespace headroom {

// Stable lower-case name, used in JSON errors.
std::string_view error_name(ErrorCode code);

// The process exit code of the command-line contract (docs/cli.md).
int exit_code(ErrorCode code);

}  // namespace headroom
