// The figures of the variants experiment.
#pragma once

#include <string>

#include "experiments/summary/arms.h"
#include "experiments/variants/measures.h"

namespace headroom::experiments::variants {

// Scores with intervals against the attention parameters of each arm.
std::string score_plot(const Runs& runs, Arms arms, const Measure& measure);

// MACs of one attention layer over Standard's, from the formulas; Super meets Optimized at n = d
// and Standard at n = 2d.
std::string macs_plot();

// Measured time over Standard's, a curve for each kind and width; empty without cells.
std::string latency_plot(const Json& timing);

}  // namespace headroom::experiments::variants
