// Options that several verbs have, with one name, one default and one explanation each.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "budget/attention_kind.h"
#include "checkpoint/config.h"
#include "headroom/types.h"

namespace headroom {

// The type of an option that takes only these values, as help and completions read it.
std::string choice_type(const std::vector<std::string_view>& names);
template <typename Table>
std::string choice_type(const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& entry : table.entries) names.push_back(entry.name);
  return choice_type(names);
}

// A heading of the help for options that were added before.
void group_options(CLI::App& app, const char* group, std::initializer_list<const char*> names);

// $HEADROOM_DATA is read by the option's environment twin; this is the value without it.
std::string default_data_dir();

void add_data_dir(CLI::App& app, std::string& value);
void add_threads(CLI::App& app, int& value, const char* meaning = "CPU threads; 0: one per core");
void add_device(CLI::App& app, std::string& value);
// --engine: whichever runs the model unless one is named. main.cpp looks at it before the options
// are parsed.
void add_engine(CLI::App& app, std::string& engine);
// --precision; nothing is auto. `asked_precision()` (engines/engine.h) says what that means.
void add_precision(CLI::App& app, std::optional<Precision>& precision);
// --packed-cache: EngineOptions::packed_cache.
void add_packed_cache(CLI::App& app, std::filesystem::path& folder);
// --attention; parse_attention() reads what was given.
CLI::Option* add_attention(CLI::App& app, std::string& value);
AttentionKind parse_attention(const std::string& name);
// --max-memory, in bytes or with a unit: 500M, 2G. `counted` says what is.
CLI::Option* add_max_memory(CLI::App& app, uint64_t& bytes, const char* counted);
void add_seed(CLI::App& app, uint64_t& value);

// Refuses (ErrorCode::usage) to train into a finished model, unless told to begin anew.
void require_new_output(const std::filesystem::path& out, bool resume, bool restart);

// The budget in --budget: a fraction, 0 (rung zero), "auto", or "adaptive", which is the full
// budget of a model that chooses heads per text and ErrorCode::usage for any other.
Budget asked_budget(const ModelConfig& config, const std::string& text);

// The budgets in --budgets, or "adaptive" as above. Where nobody named any and the model has but
// one, as an imported model has, that one: the default list would only be refused.
std::vector<double> asked_budgets(const CLI::App& app, const ModelConfig& config,
                                  const std::string& comma_list);

// The same where 0 and "auto" make sense.
std::vector<Budget> asked_spendings(const CLI::App& app, const ModelConfig& config,
                                    const std::string& comma_list);

// "a,b" as its parts; empty ones are left out.
std::vector<std::string> split_list(const std::string& comma_list);

// "1,32" as integers of at least 1; throws ErrorCode::usage naming the option.
std::vector<int64_t> parse_counts(const char* option, const std::string& comma_list);

}  // namespace headroom
