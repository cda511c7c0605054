// After training: thresholds of labels, and what keeps a score's meaning from budget to budget.
#pragma once

#include <optional>
#include <vector>

#include "checkpoint/config.h"
#include "train/stages/elastic_model.h"

namespace headroom {
inline namespace train {

// Sets config.output's calibration and thresholds where the task has them, from validation rows;
// rows without labels leave the thresholds as they are. `budgets`: those to fit a calibration for;
// a model without budgets below 1 gets none. `lexical`: what the scores of a ranker may contain
// besides (train/heads/fit_lexical.h).
void fit_scores(const ElasticModel& model, const std::vector<Batch>& validation,
                const std::vector<double>& budgets, const std::optional<TokenBm25>& lexical,
                ModelConfig& config);

// The line that takes the outputs of a smaller budget to those of the full one, value by value in
// sorted order: as many scores lie above any threshold at either budget. `sigmoid`: scores near 0
// and 1, which no threshold tells apart, weigh little.
ScoreCalibration fit_calibration(double budget, std::vector<float> outputs, std::vector<float> full,
                                 bool sigmoid);

}  // namespace train
}  // namespace headroom
