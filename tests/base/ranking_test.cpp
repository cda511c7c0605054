#include "base/measure/ranking.h"

#include <gtest/gtest.h>

#include <cmath>

namespace headroom {
namespace {

TEST(Ranking, DcgDiscountsByRank) {
  const std::vector<double> grades = {3, 0, 2};
  EXPECT_DOUBLE_EQ(dcg(grades), 3 + 2 / std::log2(4.0));
  EXPECT_DOUBLE_EQ(ideal_dcg(grades), 3 + 2 / std::log2(3.0));
  EXPECT_DOUBLE_EQ(dcg(grades, 1), 3);
}

TEST(Ranking, ReciprocalRankIsOfTheFirstRelevant) {
  EXPECT_DOUBLE_EQ(reciprocal_rank(std::vector<double>{0, 0, 1, 1}), 1.0 / 3);
  EXPECT_DOUBLE_EQ(reciprocal_rank(std::vector<double>{0, 0, 1}, 2), 0);
}

TEST(Ranking, IsTheMeanOverQueriesWithSomethingToFind) {
  const std::vector<RankedRow> rows = {
      {1, 0.1, 1, 1}, {1, 0.9, 0, 1},  // found second
      {2, 0.5, 1, 1}, {2, 0.4, 0, 1},  // found first
      {3, 0.7, 0, 0},                  // nothing to find
      {4, 0.2, 0, 2}, {4, 0.1, 0, 2},  // relevant, but not among the candidates
  };
  const RankingQuality quality = ranking_quality(rows);
  EXPECT_EQ(quality.queries, 3);
  EXPECT_DOUBLE_EQ(quality.ndcg, (1 / std::log2(3.0) + 1 + 0) / 3);
  EXPECT_DOUBLE_EQ(quality.mrr, (0.5 + 1 + 0) / 3);
}

TEST(Ranking, EqualScoresKeepTheirOrder) {
  const std::vector<RankedRow> rows = {{1, 0.5, 0, 1}, {1, 0.5, 1, 1}};
  EXPECT_DOUBLE_EQ(ranking_quality(rows).mrr, 0.5);
}

}  // namespace
}  // namespace headroom
