// What a training stores for --budget auto: the policy that `headroom tune` would fit
// (temperatures, rung zero and the ladder), with the scores that libtorch has at hand.
#pragma once

#include <optional>
#include <vector>

#include "base/progress.h"
#include "checkpoint/policy_file.h"
#include "train/rows/task_data.h"
#include "train/stages/elastic_model.h"

namespace headroom {
inline namespace train {

// Fewer, and temperatures fitted to half of them would follow chance; nor could the other half
// prove a ladder (plan_agreement in tune/promise.h).
inline constexpr int64_t least_policy_rows = 200;

// Each takes a full pass of the model and ten or more of rung zero: millions would take hours.
inline constexpr int64_t most_distilled_rows = 200'000;

// What rung zero learns from: the rows, or `most` random ones of them, and says so.
std::vector<Tokens> rows_to_distil(const EncodedDataset& train, int64_t most, uint64_t seed,
                                   ProgressSink& progress);

// Before training: sets as many validation rows aside as the promise takes. Ranking heads, keeping
// the best weights and comparing recipes look at the others alone, so that the certainty is what it
// says. Nothing where there are fewer than least_policy_rows.
void hold_back_rows(TaskData& data, uint64_t seed);

// After training, of a model that gives texts one label: rung zero learns from the training rows,
// temperatures and ladders are fitted to the validation rows, and the ladder is checked on those
// held back. Nothing where none are; says why.
StoredPolicy fit_ladder(const ElasticModel& model, const ModelConfig& config, const TaskData& data,
                        uint64_t seed, ProgressSink& progress);

}  // namespace train
}  // namespace headroom
