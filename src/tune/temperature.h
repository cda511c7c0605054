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

// Two answers made one: softmax(log(scores) / temperature + weight · log(zero)).
struct BlendFit {
  double temperature = 1;
  double weight = 0;
};

// The blend of `scores` with rung zero's that explains `targets` best, by Newton's method (the
// cross-entropy is convex in 1 / temperature and weight). The weight is 0 where it does not gain
// what one more number costs by the Bayesian information criterion, log(rows) / 2 nats over all.
BlendFit fit_blend(std::span<const Scores> scores, std::span<const Scores> zero,
                   std::span<const Scores> targets);

// Expected calibration error: the mean distance between how sure answers are and how often they are
// right, over 15 equal bins of the highest score.
double calibration_error(std::span<const Scores> scores, std::span<const int32_t> labels);

}  // namespace headroom
