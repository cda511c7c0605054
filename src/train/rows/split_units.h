// Which rows of a set without classes are for training, and which are set aside.
#pragma once

#include "data/split.h"
#include "train/rows/task_request.h"

namespace headroom {
inline namespace train {

// Of `units` rows, sentences or queries: a sample of --train-rows, of it --validation-rows set
// aside, both drawn by the split seed. None is where `validation`, a SPEC, has other rows for it.
SplitIndices split_units(int64_t units, const TaskRequest& request,
                         const std::string& validation = "");

}  // namespace train
}  // namespace headroom
