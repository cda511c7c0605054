#include "cascade/climb.h"

#include <utility>

namespace headroom {

std::vector<Climbed> climb(const Policy& policy, const ScoredRows& rows) {
  std::vector<const BudgetScores*> rungs;
  for (const Rung& rung : policy.rungs) {
    size_t at = 0;
    while (rows.at_budgets[at].budget != rung.budget) ++at;
    rungs.push_back(&rows.at_budgets[at]);
  }
  std::vector<Climbed> climbed(rows.size());
  for (size_t row = 0; row < rows.size(); ++row) {
    Scores previous;
    for (size_t rung = 0; rung < rungs.size(); ++rung) {
      Scores scores = rungs[rung]->scores[row];
      apply_temperature(scores, policy.temperature_of(rungs[rung]->budget));
      climbed[row].budget += rungs[rung]->budget;
      const bool stop = policy.settles(rung, policy.top(), scores, previous);
      previous = std::move(scores);
      if (stop) break;
    }
    climbed[row].label = best_label(previous);
  }
  return climbed;
}

}  // namespace headroom
