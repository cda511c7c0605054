// Learning rate over the steps of a stage: linear warm-up, then linear decay to zero or constant.
#pragma once

#include <cstdint>

namespace headroom {
inline namespace train {

struct Schedule {
  double peak = 3e-4;
  int64_t steps = 1;
  int64_t warmup = 0;  // steps until the peak
  bool decay = true;   // to zero at the end; false: stay at the peak (for stages of unknown length)

  double rate(int64_t step) const;  // step counts from 0

  // For stages measured in time: the warm-up still counts steps, the decay follows the share of the
  // stage that is over, 0 to 1.
  double rate_at(double share, int64_t step) const;

  // For stages that end after their steps or, if that is earlier, after some time: the shares of
  // the stage that are over before and behind the step. Where steps alone count, rate().
  double rate_between(double before, double behind) const;
};

}  // namespace train
}  // namespace headroom
