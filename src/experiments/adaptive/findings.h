// Numbers over the seeds of the adaptive experiment that tables, claims and plots share.
#pragma once

#include <string>
#include <vector>

#include "experiments/summary/arms.h"
#include "report/statistics.h"

namespace headroom::experiments::adaptive {

// In the order of tables and legends.
Arms arms();

// Field `key` of an arm's point without a cap.
std::vector<double> uncapped(const Runs& runs, const std::string& arm, PointField field);

// `a`, capped at `cap`, minus `b` without a cap in that field, over the seeds that have both.
std::vector<double> paired(const Runs& runs, const std::string& a, const std::string& b,
                           PointField field, double cap = 1.0);

// s in the third of the rows that is the `third`-easiest (0 to 2).
std::vector<double> third_shares(const Runs& runs, const std::string& arm, size_t third);

// Peaks of memory, over the seeds that measured them.
std::vector<double> memory_peaks(const Runs& runs, const std::string& arm,
                                 double PeakMemory::*executor);
// The peak with all heads through the executor that runs chosen ones.
std::vector<double> all_heads_peaks(const Runs& runs, const std::string& arm);

// What the arm scored with s overruled (the `i`-th value that was tried) or with random heads; null
// where that was not tried.
const Point* fixed_share_point(const ArmRecord& record, size_t i);
const Point* random_heads_point(const ArmRecord& record);

// "1.23 ± 0.45" of values times `scale`, with so many decimals; "-" without any.
std::string spread(const std::vector<double>& values, double scale = 1, int decimals = 2);

// Which of the adaptive arms to compare with dense: the one that validates best.
std::string chosen_arm(const Runs& runs);

}  // namespace headroom::experiments::adaptive
