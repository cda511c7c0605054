#include "cli/outputs/scores_table.h"

#include <fmt/format.h>

namespace headroom {

Table scores_table(const std::vector<BudgetScore>& scores) {
  Table table{{"budget", measure_title(scores[0]), "active heads", "active FFN", "attention MACs",
               "model MACs", "of dense", "parameters"},
              {}};
  for (const BudgetScore& score : scores) {
    table.rows.push_back({budget_title(score), measured(score),
                          fmt::format("{:.1f} %", 100 * score.active_heads),
                          fmt::format("{:.1f} %", 100 * score.active_ffn),
                          fmt::format("{:.2f} M", score.attention_macs / 1e6),
                          fmt::format("{:.2f} M", score.model_macs / 1e6),
                          fmt::format("{:.1f} %", 100 * score.model_macs_fraction),
                          fmt::format("{}", score.parameters)});
  }
  return table;
}

}  // namespace headroom
