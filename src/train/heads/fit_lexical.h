// After training a ranker: how much BM25 its scores should contain. A small network that has seen
// few judgements ranks below BM25; both together rank above either.
#pragma once

#include <span>
#include <vector>

#include "checkpoint/output_config.h"
#include "data/encoded.h"
#include "train/rows/task_data.h"

namespace headroom {
inline namespace train {

// The network's outputs for the rows at a budget.
struct BudgetOutputs {
  double budget = 1;
  std::vector<float> values;
};

// What a logit is made of: network * z + lexical * BM25.
struct Blend {
  double network = 1;
  double lexical = 0;
};

// Of the passages that training reads.
TokenBm25 count_passages(const TaskData& data, int64_t vocabulary);

// Weights, not below 0, under which the relevant rows of a query are likely among all of its rows
// (softmax over them; every query counts alike): of those that are not proved worse than
// the likeliest (two standard errors) the ones with the least of the network.
Blend fit_blend(const EncodedDataset& rows, std::span<const float> network,
                std::span<const double> lexical);

// Sets `output.lexical` and a calibration that keeps a score's meaning from budget to budget. Does
// nothing and returns false where the mean nDCG@10 over the budgets would rise by less than half a
// point. The last of `outputs` is of the full budget.
bool fit_lexical(const EncodedDataset& rows, const std::vector<BudgetOutputs>& outputs,
                 const TokenBm25& lexical, OutputConfig& output);

}  // namespace train
}  // namespace headroom
