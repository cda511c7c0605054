// How good a ranking is: nDCG and MRR of the first ten.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace headroom {

inline constexpr size_t ranking_depth = 10;

// Of grades in the order of a ranking, best first: sum of grade / log2(1 + rank).
double dcg(std::span<const double> grades, size_t depth = ranking_depth);
// The same of the best order these grades could have.
double ideal_dcg(std::vector<double> grades, size_t depth = ranking_depth);
// 1 / rank of the first grade above 0; 0 when none is among the first `depth`.
double reciprocal_rank(std::span<const double> grades, size_t depth = ranking_depth);

struct RankedRow {
  int64_t query = 0;
  double score = 0;
  double grade = 0;
  double ideal = 0;  // DCG of the query's best order; every row of a query says the same
};

struct RankingQuality {
  double ndcg = 0;  // means over queries that have something to find
  double mrr = 0;
  int64_t queries = 0;
};

// Equal scores keep the order in which rows are given.
RankingQuality ranking_quality(std::span<const RankedRow> rows);

}  // namespace headroom
