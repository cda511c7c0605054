// What a run is, as JSON: settings by name, and digests of the rows and weights it starts from. A
// state that another run saved cannot go on. No torch in this header.
#pragma once

#include "base/json.h"
#include "train/train_model.h"

namespace headroom {
inline namespace train {

struct TaskData;

Json fingerprint(const TrainRequest& request, const TaskData& data);

}  // namespace train
}  // namespace headroom
