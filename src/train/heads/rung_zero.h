// Models with a policy, scored by libtorch as our engine scores them: temperatures, and what rung
// zero says in the answers of every budget.
#pragma once

#include "checkpoint/policy_file.h"
#include "train/heads/objective.h"

namespace headroom {
inline namespace train {

// Calibrated logits (B, labels) and rung zero's log scores, `weight` times. `rows` is the set that
// the batch was taken from.
torch::Tensor with_rung_zero(const torch::Tensor& logits, const StoredPolicy& policy, double weight,
                             const Batch& batch, const EncodedDataset& rows);

// `own`, of config.json, then the policy's, if there is one.
ScoreCalibration calibration_of(const StoredPolicy& policy, const ModelConfig& config,
                                double budget);

}  // namespace train
}  // namespace headroom
