// What `headroom VERB --help` and `--help-all` print.
#pragma once

#include <string>

#include "cli/reference/reference.h"

namespace headroom {

// Usage, what it does, options by group, examples. Without `all`, groups for experts are named
// rather than listed, and limits and environment twins are left out.
std::string help_text(const VerbEntry& verb, bool all);

}  // namespace headroom
