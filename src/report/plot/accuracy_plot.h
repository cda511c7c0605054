// Accuracy against compute: a curve per arm with intervals over the seeds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/arms.h"
#include "report/plot/line_plot.h"

namespace headroom {

// Points whose MACs are not known are left out. The caller adds what its experiment has beyond
// that: a frame, reference lines, more of a subtitle.
LinePlot accuracy_plot(const Runs& runs, Arms arms, const std::vector<double>& budgets);

// The same with the levels of dense and of fastText, which has no MACs, as lines across; framed.
LinePlot framed_accuracy_plot(const Runs& runs, const Arm& ours, Arms arms,
                              const std::vector<double>& budgets);

// Frames what stays near `ours`, so that it can be told apart: what lies further below than ours
// lies below the best runs off the bottom.
void frame_on(LinePlot& plot, const Arm& ours);

// A line across at fastText's accuracy, named with its time; nothing where it was not run.
void add_fasttext(LinePlot& plot, const Runs& runs);

// "mean and 95 % interval over 3 seeds"
std::string describe_intervals(const Runs& runs);

// Adds a point at `x` whose interval ends where accuracies do.
void add_accuracy(Series& series, double x, const Estimate& accuracy);

// Lowest and highest point of the series called `name`, its intervals aside; empty (low above high)
// where the plot has none.
ValueRange range_of(const LinePlot& plot, std::string_view name);
// The same over all series.
ValueRange range_of(const LinePlot& plot);

}  // namespace headroom
