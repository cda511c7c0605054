// Whether two numbers rise together, by their ranks (Spearman), and whether they still do when a
// third is held fixed.
#pragma once

#include <vector>

namespace headroom {

// 1 for the smallest; equal values share the mean of their ranks.
std::vector<double> ranks_of(const std::vector<double>& values);

struct Correlation {
  double value = 0;  // -1 to 1; 0 where one side never changes
  double low = 0;    // 95 % interval by Fisher's transformation
  double high = 0;
};

// Lists of one length. Fewer than 5 values give an interval of [-1, 1].
Correlation rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

// The partial correlation: what is left of it where `fixed` explains none of either.
Correlation rank_correlation(const std::vector<double>& a, const std::vector<double>& b,
                             const std::vector<double>& fixed);

}  // namespace headroom
