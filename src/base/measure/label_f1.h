// F1 of rows that may have several labels: over all decisions (micro) and as the mean over labels
// (macro).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/measure/hit_counts.h"

namespace headroom {

struct LabelF1 {
  double micro = 0;
  double macro = 0;
  double precision = 0;  // micro
  double recall = 0;
};

LabelF1 label_f1(std::span<const HitCounts> counts);

// Counts of each label: `scores` and `truth` are rows x labels, a label is found where its score is
// at least its threshold, and true where it is above 0.5.
std::vector<HitCounts> count_labels(std::span<const float> scores, std::span<const float> truth,
                                    std::span<const double> thresholds);

// For each label the threshold with the highest F1 on these rows, halfway between two scores;
// `fallback` for a label that no row has.
std::vector<double> best_thresholds(std::span<const float> scores, std::span<const float> truth,
                                    size_t labels, double fallback = 0.5);

}  // namespace headroom
