// Rankings at an automatic budget, in two rounds: all candidates of a query at a small budget, the
// best of them again at the full one. Calibrated scores mean the same at either.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "checkpoint/config.h"
#include "engine/session.h"
#include "headroom/types.h"

namespace headroom {

struct RankRounds {
  double first = 1;    // the budget of all candidates
  size_t refined = 0;  // candidates that run again, at budget 1; 0: there is one round
};

// Whether a model's rankings can take two rounds: then it has an automatic budget without a policy.
bool ranks_in_rounds(const ModelConfig& config);

// A quarter of the budget for all, then a quarter of the candidates, but at least ten: half the
// compute of one full round over forty or more. One full round over ten or fewer, and where a model
// has no smaller budget.
RankRounds rank_rounds(const ModelConfig& config, size_t candidates);

// Numbers of the candidates that run again.
std::vector<size_t> second_round(const RankRounds& rounds, std::span<const Answer> first);

// Puts the answers of the second round over those of the first; both tell which rungs ran.
void merge_rounds(std::span<const size_t> refined, std::vector<Answer> second,
                  std::vector<Answer>& answers);

// Scores of the pairs of one query, in their order. A latency is that of all pairs, one after the
// other: a flat budget is the largest at which the table foresees that, an automatic one refines no
// more candidates than the first round leaves time for. Throws ErrorCode::target_unreachable where
// no budget is that fast.
std::vector<Answer> rank_pairs(Session& session, std::span<const Tokens> pairs,
                               const Budget& budget);

}  // namespace headroom
