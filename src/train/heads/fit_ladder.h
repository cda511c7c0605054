// After training: the policy that `headroom tune` would fit (temperatures, rung zero and the ladder
// of --budget auto), of validation rows and with the scores that libtorch has at hand.
#pragma once

#include <optional>

#include "base/progress.h"
#include "checkpoint/policy_file.h"
#include "train/rows/task_data.h"
#include "train/stages/elastic_model.h"

namespace headroom {
inline namespace train {

// Fewer, and temperatures fitted to half of them would follow chance.
inline constexpr int64_t least_policy_rows = 200;

// Of a model without one that gives texts one label: rung zero learns from the training rows, the
// rest is fitted to one half of the validation rows and checked on the other. Nothing where those
// are fewer than least_policy_rows; says why.
StoredPolicy fit_ladder(const ElasticModel& model, const ModelConfig& config, const TaskData& data,
                        uint64_t seed, ProgressSink& progress);

}  // namespace train
}  // namespace headroom
