// Scores a model at several budgets with physically sliced weights.
#pragma once

#include <vector>

#include "data/encoded.h"
#include "train/elastic_model.h"
#include "train/scores.h"

namespace headroom {

std::vector<BudgetScore> score_budgets(const ElasticModel& model, const ModelConfig& config,
                                       const EncodedDataset& data,
                                       const std::vector<double>& budgets);

}  // namespace headroom
