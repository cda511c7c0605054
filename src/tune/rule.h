// Fits the weights of Confidence::learned: logistic regression over a few numbers a row.
#pragma once

#include <span>
#include <vector>

#include "budget/ladder/confidence.h"

namespace headroom {

// Weights w with sigmoid(w . features) near the chance that `holds`. Newton's method with a ridge,
// so it ends, and separable rows give finite weights.
std::vector<double> fit_rule(std::span<const RuleFeatures> features, std::span<const char> holds);

}  // namespace headroom
