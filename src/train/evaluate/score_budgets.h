// Scores a model at several budgets with physically sliced weights; an adaptive one by its choices.
#pragma once

#include <vector>

#include "budget/score.h"
#include "checkpoint/policy_file.h"
#include "data/encoded.h"
#include "text/tokenizer.h"
#include "train/stages/elastic_model.h"

namespace headroom {
inline namespace train {

// `tokenizer` is needed for translations, which are scored as texts; others do without. With a
// policy scores are those that our engine gives; an adaptive model is scored without.
std::vector<BudgetScore> score_budgets(const ElasticModel& model, const ModelConfig& config,
                                       const EncodedDataset& data,
                                       const std::vector<double>& budgets,
                                       const Tokenizer* tokenizer = nullptr,
                                       const StoredPolicy& policy = {});

}  // namespace train
}  // namespace headroom
