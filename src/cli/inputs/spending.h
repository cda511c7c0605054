// --budget and --latency-ms, for verbs that answer texts.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "checkpoint/config.h"
#include "headroom/types.h"

namespace headroom {

struct SpendingOptions {
  std::string budget = "1";
  double latency_ms = 0;
  CLI::Option* budget_option = nullptr;
  CLI::Option* latency_option = nullptr;
};

void add_spending(CLI::App& app, SpendingOptions& spending);

// Throws ErrorCode::usage for both at once, unless the budget is automatic, and for what is
// neither.
Budget asked_spending(const ModelConfig& config, const SpendingOptions& spending);

}  // namespace headroom
