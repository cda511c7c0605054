#include "base/measure/ranking.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace headroom {

double dcg(std::span<const double> grades, size_t depth) {
  double sum = 0;
  for (size_t i = 0; i < std::min(grades.size(), depth); ++i) {
    sum += grades[i] / std::log2(static_cast<double>(i) + 2);
  }
  return sum;
}

double ideal_dcg(std::vector<double> grades, size_t depth) {
  std::sort(grades.begin(), grades.end(), std::greater<>());
  return dcg(grades, depth);
}

double reciprocal_rank(std::span<const double> grades, size_t depth) {
  for (size_t i = 0; i < std::min(grades.size(), depth); ++i) {
    if (grades[i] > 0) return 1 / (static_cast<double>(i) + 1);
  }
  return 0;
}

RankingQuality ranking_quality(std::span<const RankedRow> rows) {
  std::map<int64_t, std::vector<RankedRow>> queries;
  for (const RankedRow& row : rows) queries[row.query].push_back(row);
  RankingQuality quality;
  for (auto& [query, found] : queries) {
    if (found[0].ideal <= 0) continue;
    std::stable_sort(found.begin(), found.end(),
                     [](const RankedRow& a, const RankedRow& b) { return a.score > b.score; });
    std::vector<double> grades;
    for (const RankedRow& row : found) grades.push_back(row.grade);
    quality.ndcg += dcg(grades) / found[0].ideal;
    quality.mrr += reciprocal_rank(grades);
    ++quality.queries;
  }
  if (quality.queries == 0) return quality;
  quality.ndcg /= static_cast<double>(quality.queries);
  quality.mrr /= static_cast<double>(quality.queries);
  return quality;
}

}  // namespace headroom
