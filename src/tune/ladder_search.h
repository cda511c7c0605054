// Which ladders are worth climbing: on given rows, the cheapest rungs, rule and thresholds for
// every number of answers lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "budget/ladder/policy.h"
#include "tune/scored_rows.h"

namespace headroom {

// What an answer below the full model costs: to differ from it, or to be wrong where it is right
// (less than nothing where it is the other way round).
enum class Loss { disagreement, accuracy };

// Of one row at one of the rows' budgets: -1, 0 or 1.
int loss_of(const ScoredRows& rows, Loss loss, size_t budget, size_t row);

// What the search adds up instead, in units of 1 / loss_unit: for accuracy not whether this row's
// answer is right, which is a coin toss, but how much less likely the full model's calibrated
// scores hold it for right. That varies less from row to row, and needs no labels.
inline constexpr int64_t loss_unit = 256;
int64_t expected_loss(const ScoredRows& rows, Loss loss, size_t budget, size_t row);

struct LadderCandidate {
  Confidence confidence = Confidence::top;
  std::vector<size_t> budgets;             // indices into the rows' budgets, ascending
  std::vector<std::vector<double>> rules;  // of every rung but the last; of Confidence::learned
  std::vector<double> thresholds;          // of every rung but the last
  int64_t loss = 0;                        // over the rows, as expected_loss() counts
  double cost = 1;                         // mean
};

struct LadderSearch {
  Loss loss = Loss::disagreement;
  size_t most_rungs = 4;
  size_t grid = 32;  // thresholds tried for a rung, by quantiles of its confidences
  std::vector<Confidence> confidences = {Confidence::top, Confidence::margin, Confidence::entropy,
                                         Confidence::learned};
};

// Ascending losses, falling costs: no candidate is both worse and dearer than another. Every ladder
// ends with the full model, which alone is a candidate too.
std::vector<LadderCandidate> search_ladders(const ScoredRows& rows, const LadderSearch& search);

// The same of one ladder's rungs and confidence, with the rules that it has.
std::vector<LadderCandidate> search_thresholds(const ScoredRows& rows, const LadderSearch& search,
                                               const LadderCandidate& ladder);

// How sure a rung of the ladder is of each row.
std::vector<double> confidences_of(const ScoredRows& rows, const LadderCandidate& ladder,
                                   size_t rung);

// The rung at which each row stops.
std::vector<size_t> last_rungs(const ScoredRows& rows, const LadderCandidate& ladder);

}  // namespace headroom
