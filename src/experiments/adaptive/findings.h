// Numbers over the seeds of the adaptive experiment that tables, claims and plots share.
#pragma once

#include <string>
#include <vector>

#include "experiments/arms.h"
#include "experiments/statistics.h"

namespace headroom {

// In the order of tables and legends.
Arms adaptive_arms();

// Field `key` of an arm's point without a cap.
std::vector<double> uncapped(const Runs& runs, const std::string& arm, const char* key);

// `a`, capped at `cap`, minus `b` without a cap in that field, over the seeds that have both.
std::vector<double> paired(const Runs& runs, const std::string& a, const std::string& b,
                           const char* key, double cap = 1.0);

// A number under a path such as "/difficulty/share_and_loss/value" of an arm, over the seeds.
std::vector<double> at_path(const Runs& runs, const std::string& arm, const std::string& path);

// "1.23 ± 0.45" of values times `scale`, with so many decimals; "-" without any.
std::string spread(const std::vector<double>& values, double scale = 1, int decimals = 2);

// Which of the adaptive arms to compare with dense: the one that validates best.
std::string chosen_adaptive(const Runs& runs);

}  // namespace headroom
