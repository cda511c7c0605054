// Everything that decides what an experiment's arms become, as a record stores it: records with
// other recipes are not mixed.
#pragma once

#include "base/json.h"
#include "experiments/experiment.h"
#include "train/fingerprint.h"

namespace headroom::experiments {

// Every setting by name, with digests of the rows and of the weights to start from. Not in it:
// where data lies, the device, threads, the seed and which arms to run.
Json whole_recipe(const Experiment& experiment, const TaskData& data);

}  // namespace headroom::experiments
