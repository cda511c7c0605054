#include "cli/outputs/policy_text.h"

#include <fmt/format.h>

#include "base/table.h"

namespace headroom {

std::string policy_text(const Policy& policy) {
  if (policy.rungs.size() == 1) {
    return fmt::format(
        "--budget auto is the full model: {} rows held back prove no other ladder for {} {} with "
        "certainty {}; scores are calibrated ({} rows fitted, {})\n",
        policy.checked_rows, promise_table.name(policy.promise), policy.promised, policy.certainty,
        policy.fitted_rows, policy.date);
  }
  const LadderLevel& level = policy.levels.back();
  Table table{{"rung", "temperature", "stops at", "texts that reach it"}, {}};
  for (size_t i = 0; i < policy.rungs.size(); ++i) {
    const bool last = i + 1 == policy.rungs.size();
    const double budget = policy.rungs[i].budget;
    table.rows.push_back(
        {budget == 0 ? "0 (n-grams)" : fmt::format("{}", budget),
         fmt::format("{:.3f}", policy.temperature_of(budget)),
         last ? "always"
              : fmt::format("{} >= {:.4f}", confidence_table.name(policy.confidence),
                            level.thresholds[i]),
         fmt::format("{:.1f} %", 100 * level.reached[i])});
  }
  std::string text = aligned_text(table);
  text += fmt::format(
      "\n--budget auto promises {} {} with certainty {} ({}, {} rows fitted, {} held back, {})\n",
      promise_table.name(policy.promise), policy.promised, policy.certainty, policy.precision,
      policy.fitted_rows, policy.checked_rows, policy.date);
  text += fmt::format("on the rows held back: agreement {:.2f} %, mean budget {:.4f}",
                      100 * level.agreement, level.mean_budget);
  if (level.accuracy) text += fmt::format(", accuracy {:.2f} %", 100 * *level.accuracy);
  return text + "\n";
}

}  // namespace headroom
