// What the summary of every experiment has: where its numbers come from, what was timed, what was
// left out.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "experiments/summary/arms.h"

namespace headroom::experiments {

// Throws ErrorCode::usage without any record, ErrorCode::bad_data where they are not one
// experiment.
void require_summarisable(const Runs& runs);

// The first fields of results.json: which experiment, made by which command, when and where.
Json describe_results(const std::string& experiment, const Runs& runs);

// Seeds in the order of the records: "1, 2, 3" with ", ".
std::string list_seeds(const Runs& runs, std::string_view separator);

// The command that made them: `headroom reproduce EXPERIMENT` with their task, start, seeds and
// changed options.
std::string reproduce_command(std::string_view experiment, const Runs& runs);

// "4 layers, width 256, 4 heads, FFN 512"
std::string describe_sizes(const Record& run);
// The same with FFN groups where there are any, tokens and vocabulary.
std::string describe_model(const Record& run);

// "# title: task", the command, `more` on the same line, and the setting as list items: seeds and
// rows, the model (in the caller's words), when, where and by which commits it was trained.
std::string page_heading(const std::string& title, std::string_view experiment, const Runs& runs,
                         const std::string& model, const std::string& more = "");

// "## Measured time" with its table, from the timing of the first record's selections; empty when
// nothing was timed.
std::string timing_section(const Runs& runs, const Json& timing);

// "## Not run" with the arms that no record holds; empty when there is none. Starts
// with a blank line: it ends a page.
std::string missing_section(const Runs& runs, Arms arms);

}  // namespace headroom::experiments
