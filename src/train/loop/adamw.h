// AdamW (Loshchilov and Hutter, arXiv 1711.05101) over flat parameter groups, with clipping by the
// global gradient norm.
#pragma once

#include "train/loop/parameters.h"

namespace headroom {
inline namespace train {

struct AdamWSettings {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double clip_norm = 1.0;  // 0: no clipping
};

// One update of all groups; `step` counts from 1.
void adamw_step(std::vector<ParameterGroup>& groups, const AdamWSettings& settings,
                double learning_rate, int64_t step);

}  // namespace train
}  // namespace headroom
