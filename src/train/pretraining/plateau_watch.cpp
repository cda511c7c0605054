#include "train/pretraining/plateau_watch.h"

#include <fmt/format.h>

namespace headroom {
inline namespace train {

void PlateauWatch::look(int64_t step, double loss) {
  if (told || !on_plateau(step, loss)) return;
  told = true;
  progress->note(fmt::format(
      "after {} steps the loss, {:.2f}, is still about that of predicting word frequencies alone, "
      "{:.2f}: this run may never learn more. Stop it and start again with half the rate (--lr "
      "{:.2g}) or twice the --warmup",
      step, loss, frequency_loss, rate / 2));
}

}  // namespace train
}  // namespace headroom
