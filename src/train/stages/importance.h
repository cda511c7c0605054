// Which heads a trained dense model can spare: the ranking behind post-hoc pruning.
#pragma once

#include <vector>

#include "budget/order.h"
#include "train/stages/elastic_model.h"

namespace headroom {
inline namespace train {

// Ranks heads by how much the validation loss rises when that head alone is removed (Michel et al.,
// arXiv 1905.10650): L x H evaluations.
HeadOrder rank_by_ablation(const ElasticModel& model, const std::vector<Batch>& validation);

}  // namespace train
}  // namespace headroom
