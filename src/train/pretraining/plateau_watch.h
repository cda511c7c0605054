// Says so, once, when a run is still where a model predicts word frequencies and nothing else.
#pragma once

#include <cstdint>

#include "base/progress.h"

namespace headroom {
inline namespace train {

struct PlateauWatch {
  double frequency_loss = 0;  // nats a token that frequencies cost
  int64_t from_step = 0;      // a run may be there before; 0: nothing is watched
  double rate = 0;            // the peak learning rate, to be lowered
  ProgressSink* progress = nullptr;
  bool told = false;

  // A model that has only learned to copy the hidden tokens that stay is 8 % below frequencies.
  bool on_plateau(int64_t step, double loss) const {
    return from_step > 0 && step >= from_step && loss > 0.9 * frequency_loss;
  }
  void look(int64_t step, double loss);
};

}  // namespace train
}  // namespace headroom
