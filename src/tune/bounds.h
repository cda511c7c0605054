// What a sample proves about the distribution that it came from: exact tests of a share and of the
// mean of bounded numbers. No normal approximation, so what they say holds for small samples too.
#pragma once

#include <cstdint>
#include <span>

namespace headroom {

// P(at most `failures` of `rows`) where each fails with probability `share`.
double binomial_tail(int64_t failures, int64_t rows, double share);

// Clopper and Pearson's upper bound: the largest share of failures under which so few are not less
// likely than 1 - certainty.
double upper_share(int64_t failures, int64_t rows, double certainty);

// Whether the mean is at most `most`: false with probability `certainty` or more when it is larger.
// The values lie in [least, largest], independent and from one distribution. A bet against a larger
// mean (Waudby-Smith and Ramdas 2024, one-sided): what was staked multiplies with every value, and
// grows past 1 / (1 - certainty) with probability 1 - certainty at most unless the bet is right.
bool mean_at_most(std::span<const double> values, double least, double largest, double most,
                  double certainty);

}  // namespace headroom
