// The cheapest ladder that keeps a promise, as far as rows can prove it.
#pragma once

#include <vector>

#include "tune/ladder_search.h"

namespace headroom {

// Throws ErrorCode::usage for a promise that makes no sense or needs labels that the rows lack,
// ErrorCode::target_unreachable where no ladder could be proved on so few rows.
void check_promise(Promise promise, double promised, double certainty, const ScoredRows& checked);

// Fixed-sequence testing: the candidates, which were found on other rows, are tested on `checked`
// from the safest on, each at the full certainty, until one is not proved; the last that was is
// returned. As the order was fixed before, a ladder that breaks the promise is returned with
// probability 1 - certainty at most, however many there are.
LadderCandidate keep_promise(std::vector<LadderCandidate> candidates, const ScoredRows& checked,
                             Promise promise, double promised, double certainty);

}  // namespace headroom
