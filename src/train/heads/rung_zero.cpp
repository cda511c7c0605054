#include "train/heads/rung_zero.h"

#include <algorithm>
#include <cmath>

#include "budget/ladder/confidence.h"
#include "budget/ladder/policy_calibration.h"
#include "data/encoded.h"

namespace headroom {
inline namespace train {

torch::Tensor with_rung_zero(const torch::Tensor& logits, const StoredPolicy& policy, double weight,
                             const Batch& batch, const EncodedDataset& rows) {
  if (weight == 0) return logits;
  std::vector<double> logs;
  for (const int32_t row : batch.rows) {
    std::vector<double> scores = policy.rung_zero->scores(rows.row(row), rows.row_types(row));
    apply_temperature(scores, policy.policy->temperature_of(0));
    for (const double score : scores) logs.push_back(weight * std::log(std::max(score, 1e-300)));
  }
  const auto B = static_cast<int64_t>(batch.rows.size());
  return logits.to(torch::kFloat64) +
         torch::tensor(logs, torch::kFloat64).view({B, -1}).to(logits.device());
}

ScoreCalibration calibration_of(const StoredPolicy& policy, const ModelConfig& config,
                                double budget) {
  return policy.policy ? calibration_with(*policy.policy, config.output.calibration, budget)
                       : calibration_at(config.output.calibration, budget);
}

}  // namespace train
}  // namespace headroom
