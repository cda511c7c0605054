// Where validation rows come from: a file, the official part of a known set, or the training rows.
#pragma once

#include <string>

#include "train/rows/task_request.h"

namespace headroom {
inline namespace train {

// SPEC of the validation rows; empty: some of the training rows are set aside. Without
// --validation-data, and without --validation-rows that say how many to set aside, texts of known
// sets are validated on the official parts where every set has one under `data_dir`. Throws
// ErrorCode::usage for a request that asks for both.
std::string validation_spec(const TaskRequest& request);

}  // namespace train
}  // namespace headroom
