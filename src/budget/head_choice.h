// How a model that chooses heads per input (BudgetFormer, arXiv 2604.22583) turns what its
// controllers say into heads, in plain numbers. Of its input a layer's controller tells s in (0,
// 1), the share of the heads that it needs, and z, how relevant each head is to it; q = softmax(z /
// tau) is the published distribution over heads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "budget/gates.h"
#include "budget/shape.h"

namespace headroom {

// k = min(H, max(1, ceil(s * H))). Summaries of the paper have both floor and ceil; floor would
// leave no head at all at the s of 0.085 that it reports for 8 heads.
int64_t heads_needed(double share, int64_t heads);

// The best.size() heads with the highest scores, ascending; ties go to the lower number.
void best_heads(std::span<const double> scores, std::span<int32_t> best);

// What a budget leaves of the choice: k = min(needed, most) heads, ranked by q * g(b).
struct HeadLimit {
  int64_t heads = 0;              // H
  std::vector<int64_t> most;      // per layer, at least 1
  std::vector<double> log_gates;  // L x H; empty: q ranks alone
  double temperature = 1;         // tau

  // Ranks as q * g(b) does: their logarithm without the softmax's sum, which is the same for all.
  double score(int64_t layer, int64_t head, double relevance) const {
    if (log_gates.empty()) return relevance;
    return relevance / temperature + log_gates[static_cast<size_t>(layer * heads + head)];
  }
};

// No gates: every layer may use max(1, round(budget * H)) heads.
HeadLimit even_limit(const ModelShape& shape, double budget);

// As many heads of each layer as the gates alone would keep at `budget`.
HeadLimit gated_limit(const GateParameters& gates, double budget, double temperature);

}  // namespace headroom
