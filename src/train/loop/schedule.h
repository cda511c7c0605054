// Learning rate over the steps of a stage: linear warm-up, then linear decay to zero or constant.
#pragma once

#include <cstdint>

namespace headroom::inline train {

struct Schedule {
  double peak = 3e-4;
  int64_t steps = 1;
  int64_t warmup = 0;  // steps until the peak
  bool decay = true;   // to zero at the end; false: stay at the peak (for stages of unknown length)

  double rate(int64_t step) const;  // step counts from 0

  // The same curve over a share of the stage, 0 to 1: for stages that are measured in time.
  double rate_at(double share) const;
};

}  // namespace headroom::inline train
