// fastText (Joulin et al., arXiv 1607.01759; Debian package fasttext) on exactly the rows of a
// task, as the baseline that any small transformer must beat. No torch here.
#pragma once

#include <optional>

#include "experiments/record/record.h"
#include "train/rows/task_request.h"

namespace headroom::experiments {

// Trains with several rates, epochs and n-gram lengths, keeps what validates best, and scores that
// on the test rows. None when no `fasttext` program is on the PATH.
std::optional<ArmRecord> fasttext_arm(const TaskRequest& request);

}  // namespace headroom::experiments
