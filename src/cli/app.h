// What all verbs share: parsing with environment twins and a JSON config file, and the one place
// where errors become messages and exit codes.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/json.h"
#include "base/table.h"

namespace headroom {

// Gives every long option an environment twin (--max-tokens is HEADROOM_MAX_TOKENS; the flag wins)
// and adds --json. run_app() does it itself.
void prepare_app(CLI::App& app);

// Parses argv into `app`, then runs `body`. Errors go to stderr, or to stdout as one JSON line with
// --json. Returns the exit code of the contract.
int run_app(CLI::App& app, int argc, char** argv, const std::function<void(bool json)>& body);

// Whether the arguments or the environment ask for JSON; for errors that come before parsing.
bool json_requested(int argc, char** argv);

// To stderr, or to stdout as one JSON line. Returns the exit code of the contract.
int report_error(const Error& error, bool json);

// Adds --config FILE: a JSON object whose keys are long option names. Flags win.
void add_config_option(CLI::App& app);

// Refuses an option value that the contract names but this version does not have.
void require_supported(std::string_view option, const std::string& value,
                       std::initializer_list<std::string_view> supported);

std::string json_line(const Json& json);  // with its end
void print_json_line(const Json& json);
Json error_json(const Error& error);  // {"error": {"code", "operation", "message"}}
void print_table(const Table& table);

}  // namespace headroom
