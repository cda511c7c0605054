#include "train/heads/fit_lexical.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/measure/ranking.h"
#include "train/heads/fit_scores.h"

namespace headroom {
inline namespace train {
namespace {

constexpr double ridge = 0.01;          // of a query: keeps weights finite where rows are separable
constexpr double least_network = 0.05;  // in standard deviations: it decides between equals
constexpr double most_step = 1;
constexpr int sweeps = 200;
constexpr int most_halvings = 8;      // of the network's weight, see cautious_blend()
constexpr double least_gain = 0.005;  // of mean nDCG@10: less may be chance

double deviation(std::span<const double> values) {
  double sum = 0;
  double squares = 0;
  for (const double x : values) {
    sum += x;
    squares += x * x;
  }
  const auto n = static_cast<double>(values.size());
  return std::sqrt(std::max(squares / n - sum / n * (sum / n), 0.0));
}

bool relevant(const EncodedDataset& rows, size_t row) {
  return rows.row_values(static_cast<int64_t>(row))[0] > 0;
}

using Queries = std::vector<std::vector<size_t>>;

// Rows of each query that has relevant ones and others.
Queries informative_queries(const EncodedDataset& rows) {
  std::map<int32_t, std::vector<size_t>> all;
  for (size_t i = 0; i < rows.groups.size(); ++i) all[rows.groups[i]].push_back(i);
  Queries queries;
  for (auto& [group, numbers] : all) {
    const auto hits = std::count_if(numbers.begin(), numbers.end(),
                                    [&rows](size_t row) { return relevant(rows, row); });
    if (hits > 0 && hits < static_cast<int64_t>(numbers.size())) {
      queries.push_back(std::move(numbers));
    }
  }
  return queries;
}

// What the softmax of a query's scores u says of x, a number of each row.
struct QueryMoments {
  double log_sum;   // log sum exp(u)
  double mean;      // of x, under the softmax
  double variance;  // likewise
  double hit_mean;  // mean x of the relevant rows
};

QueryMoments query_moments(const EncodedDataset& rows, const std::vector<size_t>& query,
                           std::span<const double> u, std::span<const double> x) {
  double most = u[query[0]];
  for (const size_t i : query) most = std::max(most, u[i]);
  double total = 0;
  double first = 0;
  double second = 0;
  double hit_sum = 0;
  double hits = 0;
  for (const size_t i : query) {
    const double p = std::exp(u[i] - most);
    total += p;
    first += p * x[i];
    second += p * x[i] * x[i];
    if (!relevant(rows, i)) continue;
    hit_sum += x[i];
    ++hits;
  }
  const double mean = first / total;
  return {std::log(total) + most, mean, second / total - mean * mean, hit_sum / hits};
}

// The loss of a query is log sum exp(u) less the mean u of its relevant rows.
double query_loss(const EncodedDataset& rows, const std::vector<size_t>& query,
                  std::span<const double> u) {
  const QueryMoments moments = query_moments(rows, query, u, u);
  return moments.log_sum - moments.hit_mean;
}

// Newton's step for the weight of x in u: the loss's slope is E[x] less the relevant rows' mean x,
// its curvature the variance of x.
double newton_step(const EncodedDataset& rows, const Queries& queries, std::span<const double> u,
                   std::span<const double> x, double weight) {
  double slope = 0;
  double curvature = 0;
  for (const std::vector<size_t>& query : queries) {
    const QueryMoments moments = query_moments(rows, query, u, x);
    slope += moments.mean - moments.hit_mean + ridge * weight;
    curvature += moments.variance + ridge;
  }
  return std::clamp(-slope / curvature, -most_step, most_step);
}

double mean_ndcg(const EncodedDataset& rows, std::span<const double> scores) {
  std::vector<RankedRow> ranked;
  for (size_t i = 0; i < scores.size(); ++i) {
    const auto values = rows.row_values(static_cast<int64_t>(i));
    ranked.push_back({rows.groups[i], scores[i], values[0], values[1]});
  }
  return ranking_quality(ranked).ndcg;
}

std::vector<double> blended(const Blend& blend, std::span<const double> network,
                            std::span<const double> lexical) {
  std::vector<double> scores;
  for (size_t i = 0; i < network.size(); ++i) {
    scores.push_back(blend.network * network[i] + blend.lexical * lexical[i]);
  }
  return scores;
}

// What makes the mean of the sigmoids the share of relevant rows.
double offset_of(const EncodedDataset& rows, std::span<const double> logits) {
  double wanted = 0;
  for (size_t i = 0; i < logits.size(); ++i) wanted += relevant(rows, i) ? 1 : 0;
  double low = -1000;
  double high = 1000;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = (low + high) / 2;
    double sum = 0;
    for (const double logit : logits) sum += 1 / (1 + std::exp(-logit - middle));
    (sum < wanted ? low : high) = middle;
  }
  return (low + high) / 2;
}

// Both kinds of score of all rows, in units of their standard deviations.
struct Scores {
  const EncodedDataset& rows;
  const Queries& queries;
  std::span<const double> network;
  std::span<const double> lexical;

  std::vector<double> sum(const Blend& blend) const { return blended(blend, network, lexical); }
  std::vector<double> losses(const Blend& blend) const {
    const std::vector<double> u = sum(blend);
    std::vector<double> all;
    for (const std::vector<size_t>& query : queries) all.push_back(query_loss(rows, query, u));
    return all;
  }
};

// Of least loss; with the network's weight as it is, or fitted too.
Blend best_blend(const Scores& scores, Blend blend, bool fit_network) {
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    if (fit_network) {
      blend.network += newton_step(scores.rows, scores.queries, scores.sum(blend), scores.network,
                                   blend.network);
      blend.network = std::max(blend.network, least_network);
    }
    blend.lexical +=
        newton_step(scores.rows, scores.queries, scores.sum(blend), scores.lexical, blend.lexical);
    blend.lexical = std::max(blend.lexical, 0.0);
  }
  return blend;
}

// Whether the mean of a - b may well be 0: it is at most two standard errors above.
bool near(std::span<const double> a, std::span<const double> b) {
  std::vector<double> differences;
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    differences.push_back(a[i] - b[i]);
    sum += differences.back();
  }
  const auto n = static_cast<double>(a.size());
  return sum / n <= 2 * deviation(differences) / std::sqrt(n);
}

// The network was chosen by the rows that the weights are fitted to, and there may be few queries:
// fitted on 15 of Cranfield, its weight cost up to 7 points of nDCG@10 on others. BM25 has learned
// nothing that could be chance, so the network gets the least of its halved weights that the
// queries do not prove worse than the best one.
Blend cautious_blend(const Scores& scores) {
  const Blend best = best_blend(scores, {least_network, 0}, /*fit_network=*/true);
  const std::vector<double> least_losses = scores.losses(best);
  Blend chosen = best;
  double network = best.network;
  for (int halving = 0; halving < most_halvings && network > least_network; ++halving) {
    network = std::max(network / 2, least_network);
    const Blend candidate = best_blend(scores, {network, best.lexical}, /*fit_network=*/false);
    if (near(scores.losses(candidate), least_losses)) chosen = candidate;
  }
  return chosen;
}

}  // namespace

TokenBm25 count_passages(const TaskData& data, int64_t vocabulary) {
  std::vector<std::span<const int32_t>> pairs;
  for (int64_t row = 0; row < data.train.size(); ++row) pairs.push_back(data.train.row(row));
  const Vocabulary& words = *data.vocabulary;
  std::vector<int32_t> special = {words.pad_id(), words.unknown_id(), words.cls_id(),
                                  words.sep_id()};
  if (words.mask_id()) special.push_back(*words.mask_id());
  return count_tokens(pairs, words.sep_id(), special, vocabulary);
}

Blend fit_blend(const EncodedDataset& rows, std::span<const float> network,
                std::span<const double> lexical) {
  const Queries queries = informative_queries(rows);
  std::vector<double> z(network.begin(), network.end());
  std::vector<double> b(lexical.begin(), lexical.end());
  const double z_unit = deviation(z);
  const double b_unit = deviation(b);
  if (queries.empty() || z_unit <= 0 || b_unit <= 0) return {};
  for (double& x : z) x /= z_unit;
  for (double& x : b) x /= b_unit;
  const Blend blend = cautious_blend({rows, queries, z, b});
  return {blend.network / z_unit, blend.lexical / b_unit};
}

bool fit_lexical(const EncodedDataset& rows, const std::vector<BudgetOutputs>& outputs,
                 const TokenBm25& lexical, OutputConfig& output) {
  std::vector<double> scores;
  for (int64_t row = 0; row < rows.size(); ++row) scores.push_back(lexical.score(rows.row(row)));
  std::vector<Blend> blends;
  std::vector<std::vector<float>> logits;
  double gain = 0;
  for (const BudgetOutputs& at : outputs) {
    blends.push_back(fit_blend(rows, at.values, scores));
    const std::vector<double> network(at.values.begin(), at.values.end());
    const std::vector<double> both = blended(blends.back(), network, scores);
    gain += mean_ndcg(rows, both) - mean_ndcg(rows, blended({}, network, scores));
    logits.emplace_back(both.begin(), both.end());
  }
  if (gain < least_gain * static_cast<double>(outputs.size())) return false;
  const std::vector<double> full(logits.back().begin(), logits.back().end());
  const double offset = offset_of(rows, full);
  for (float& logit : logits.back()) logit += static_cast<float>(offset);
  output.lexical = lexical;
  for (size_t i = 0; i < outputs.size(); ++i) {
    ScoreCalibration fitted{1.0, 1.0, offset};
    if (i + 1 < outputs.size()) {
      fitted = fit_calibration(outputs[i].budget, logits[i], logits.back(), /*sigmoid=*/true);
    }
    output.calibration.push_back({outputs[i].budget, fitted.temperature / blends[i].network,
                                  fitted.offset, blends[i].lexical / fitted.temperature});
  }
  return true;
}

}  // namespace train
}  // namespace headroom
