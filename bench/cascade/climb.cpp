#include "cascade/climb.h"

#include <utility>

namespace headroom {

Scores answered(const Policy& policy, const ScoredRows& rows, size_t at, size_t row) {
  const double budget = rows.at_budgets[at].budget;
  Scores scores = rows.at_budgets[at].scores[row];
  apply_temperature(scores, policy.temperature_of(budget));
  const double weight = policy.rung_zero_weight(budget);
  if (weight > 0) {
    Scores zero = rows.at_budgets.front().scores[row];
    apply_temperature(zero, policy.temperature_of(0));
    blend(scores, zero, weight);
  }
  return scores;
}

std::vector<Climbed> climb(const Policy& policy, const ScoredRows& rows) {
  std::vector<size_t> rungs;
  for (const Rung& rung : policy.rungs) {
    size_t at = 0;
    while (rows.at_budgets[at].budget != rung.budget) ++at;
    rungs.push_back(at);
  }
  std::vector<Climbed> climbed(rows.size());
  for (size_t row = 0; row < rows.size(); ++row) {
    Scores previous;
    for (size_t rung = 0; rung < rungs.size(); ++rung) {
      Scores scores = answered(policy, rows, rungs[rung], row);
      climbed[row].budget += rows.at_budgets[rungs[rung]].budget;
      const bool stop = policy.settles(rung, policy.top(), scores, previous);
      previous = std::move(scores);
      if (stop) break;
    }
    climbed[row].label = best_label(previous);
  }
  return climbed;
}

}  // namespace headroom
