// What was to be found, what was found and what of it was right: precision, recall and F1.
#pragma once

#include <cstdint>

namespace headroom {

struct HitCounts {
  int64_t truth = 0;
  int64_t found = 0;
  int64_t correct = 0;  // found and true

  double precision() const { return share(correct, found); }  // 0 where nothing was found
  double recall() const { return share(correct, truth); }
  double f1() const { return share(2 * correct, truth + found); }  // 0 where there is neither

  HitCounts& operator+=(const HitCounts& other) {
    truth += other.truth;
    found += other.found;
    correct += other.correct;
    return *this;
  }

 private:
  static double share(int64_t part, int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
  }
};

}  // namespace headroom
