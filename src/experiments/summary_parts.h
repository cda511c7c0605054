// What the summary of every experiment has: where its numbers come from, what was timed, what was
// left out.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "experiments/arms.h"

namespace headroom {

// The first fields of results.json: which experiment, made by which command, when and where.
Json describe_results(const std::string& experiment, const Runs& runs, const std::string& command);

// Seeds in the order of the runs: "1, 2, 3" with ", ".
std::string list_seeds(const Runs& runs, std::string_view separator);

// The command that made the runs: `headroom reproduce EXPERIMENT` with their task, start, seeds and
// changed options.
std::string reproduce_command(std::string_view experiment, const Runs& runs);

// Three list items: seeds and rows, the model (in the caller's words), when and where trained.
std::string describe_setting(const Runs& runs, const std::string& model);

// "## Measured time" with its table, from the timing of the first run's selections; empty when
// nothing was timed.
std::string timing_section(const Runs& runs, const Json& timing);

// "## Not run" with the arms that no run holds; empty when there is none. Starts
// with a blank line: it ends a page.
std::string missing_section(const Runs& runs, Arms arms);

}  // namespace headroom
