// What a ladder stops by: the ways to say how sure an answer is, each alone, at equal promises.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "cascade/summary.h"
#include "tune/scored_rows.h"

namespace headroom {

// Ladders of each confidence, fitted to `fitted`: what they spend on the rows of `tested` and how
// many they get right.
Json compare_confidences(const ScoredRows& fitted, const ScoredRows& tested);

// The page's part, over the runs that have compared them; empty where none has.
std::string confidences_section(const std::vector<RunGroup>& groups);

}  // namespace headroom
