// fastText (Joulin et al., arXiv 1607.01759; Debian package fasttext) on exactly the rows of a
// task, as the baseline that any small transformer must beat. No torch here.
#pragma once

#include "base/json.h"
#include "train/rows/task_request.h"

namespace headroom {

// Trains with several rates, epochs and n-gram lengths, keeps what validates best, and scores that
// on the test rows: {points, settings, bytes, ms}. Null when no `fasttext` program is on the PATH.
Json fasttext_arm(const TaskRequest& request);

}  // namespace headroom
