// Timing that can be trusted on a shared machine: every contestant runs in every round, in shuffled
// order. The machine drifts by a quarter between minutes; ratios within a round do not.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace headroom {

// Milliseconds of each contestant (outer) in each round (inner). `warmup` rounds come first and are
// not kept.
std::vector<std::vector<double>> time_interleaved(
    const std::vector<std::function<void()>>& contestants, int warmup, int rounds, uint64_t seed);

// With linear interpolation between neighbours; `values` is not empty, q in [0, 1].
double quantile(std::vector<double> values, double q);

// The median over rounds of one contestant's time over another's.
double median_ratio(const std::vector<double>& numerator, const std::vector<double>& denominator);

}  // namespace headroom
