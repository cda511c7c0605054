// Ladders fitted to one half of some scored rows and checked on the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tune/scored_rows.h"
#include "tune/tune.h"

namespace headroom {

std::vector<size_t> shuffled(size_t count, uint64_t seed);

// `order` says which rows are in the first half.
TuneReport fit_ladder(const ScoredRows& rows, const std::vector<size_t>& order,
                      const TuneSettings& settings);

}  // namespace headroom
