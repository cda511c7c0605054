// Accuracy against compute and against time, a curve per arm with intervals over the seeds; and
// when the units of an arm come alive.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/summary/arms.h"
#include "report/plot/line_plot.h"

namespace headroom::experiments {

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

// Accuracy over the time of one text. What was timed are the selections of `ours`: another arm
// stands at a budget's time where it spends as many MACs there, and is left out where it does not.
// No series when no budget was both scored and timed.
LinePlot accuracy_time_plot(const Runs& runs, const Arm& ours, Arms arms, const Json& timing);

// When each head and FFN group of an arm comes alive, as an SVG; empty where the arm holds neither
// an order nor gates.
std::string alive_map(const Record& run, const std::string& arm);

}  // namespace headroom::experiments
