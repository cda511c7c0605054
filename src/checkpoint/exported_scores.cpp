#include "checkpoint/exported_scores.h"

#include <fmt/format.h>

#include "budget/ladder/policy_calibration.h"

namespace headroom {

ScoreCalibration exported_calibration(const ModelConfig& config, const StoredPolicy& stored,
                                      double budget) {
  const std::vector<ScoreCalibration>& own = config.output.calibration;
  if (!stored.policy) return calibration_at(own, budget);
  return calibration_at(calibration_with(*stored.policy, own), budget);
}

std::vector<std::string> score_notes(const ModelConfig& config, const ScoreCalibration& at,
                                     std::string_view where) {
  std::vector<std::string> notes;
  if (!config.output.thresholds.empty()) {
    notes.push_back(fmt::format(
        "a label is given where the sigmoid of its logit reaches the label's own threshold, not "
        "0.5: the list is {}",
        where));
  }
  if (config.output.lexical && at.lexical != 0) {
    notes.push_back(
        fmt::format("BM25 stays behind: logits are the network's alone, to which headroom adds "
                    "{:.4g} times the pair's BM25",
                    at.lexical));
  }
  return notes;
}

}  // namespace headroom
