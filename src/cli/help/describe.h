// A verb's options as JSON, read off the parser itself. The reference page, the man pages and the
// shells' completions are made from it (cli/reference/reference.h), so they say what --help says.
#pragma once

#include <CLI/CLI.hpp>

#include "base/json.h"

namespace headroom {

// `headroom VERB --help-json` prints this: description, options and, where there are any, commands.
Json describe_app(const CLI::App& app);

}  // namespace headroom
