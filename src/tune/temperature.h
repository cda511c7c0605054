// Temperatures that make scores mean what they say, and how far they are from that.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headroom {

using Scores = std::vector<double>;  // one probability a label

// The temperature at which `scores` explain `targets` best: the least mean cross-entropy, within
// [0.05, 20]. A target is a distribution over the labels: all of it on one where rows are labelled.
double fit_temperature(std::span<const Scores> scores, std::span<const Scores> targets);

// Expected calibration error: the mean distance between how sure answers are and how often they are
// right, over 15 equal bins of the highest score.
double calibration_error(std::span<const Scores> scores, std::span<const int32_t> labels);

}  // namespace headroom
