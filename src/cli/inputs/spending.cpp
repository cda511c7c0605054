#include "cli/inputs/spending.h"

#include <fmt/format.h>

#include "base/error.h"
#include "cli/options.h"

namespace headroom {

void add_spending(CLI::App& app, SpendingOptions& spending) {
  spending.budget_option =
      app.add_option("--budget", spending.budget,
                     "fraction in (0, 1]; auto: as much as each text needs (see tune); 0: rung "
                     "zero alone; adaptive: as many heads as each text asks for");
  spending.latency_option =
      app.add_option("--latency-ms", spending.latency_ms,
                     "instead of --budget, or with auto: the largest budget whose p90 on this "
                     "machine, measured by calibrate, is at most this");
}

Budget asked_spending(const ModelConfig& config, const SpendingOptions& spending) {
  Budget budget = asked_budget(config, spending.budget);
  if (!*spending.latency_option) return budget;
  if (*spending.budget_option && !budget.automatic) {
    throw Error(ErrorCode::usage, "read options",
                "give --budget or --latency-ms, not both, or --budget auto with it");
  }
  if (!(spending.latency_ms > 0)) {
    throw Error(ErrorCode::usage, "read options",
                fmt::format("--latency-ms {} is not a time above 0", spending.latency_ms));
  }
  budget.latency_ms = spending.latency_ms;
  return budget;
}

}  // namespace headroom
