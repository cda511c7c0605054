// The cheapest ladder that keeps a promise, as far as rows can prove it.
#pragma once

#include <vector>

#include "tune/ladder_search.h"

namespace headroom {

// Throws ErrorCode::usage for a promise that makes no sense or needs labels that the rows lack.
void check_promise(Promise promise, double promised, double certainty, const ScoredRows& checked);

// The fewest rows held back on which any ladder but the full model could be proved.
size_t rows_to_prove(Promise promise, double promised, double certainty);

// What to promise of a model of which nobody said what it should promise, and how many rows to hold
// back for that: an agreement of 0.99, 0.98 or 0.97, the first that two thirds of the rows can
// prove with four disagreements among them; where none is, 0.97 and half of them, which from 197
// rows on prove it with fewer. The number of rows decides: were it what they say, the certainty
// would not be what it is.
struct AgreementPlan {
  double promised = 0.99;
  size_t held_back = 0;

  bool operator==(const AgreementPlan&) const = default;
};
AgreementPlan plan_agreement(size_t rows, double certainty);

// Throws ErrorCode::target_unreachable where there are fewer.
void require_rows(Promise promise, double promised, double certainty, const ScoredRows& checked);

// The ladder that is the full model alone.
LadderCandidate full_model(const ScoredRows& rows);

// Fixed-sequence testing: the candidates, which were found on other rows, are tested on `checked`
// from the safest on, each at the full certainty, until one is not proved; the last that was is
// returned. As the order was fixed before, a ladder that breaks the promise is returned with
// probability 1 - certainty at most, however many there are.
LadderCandidate keep_promise(std::vector<LadderCandidate> candidates, const ScoredRows& checked,
                             Promise promise, double promised, double certainty);

}  // namespace headroom
