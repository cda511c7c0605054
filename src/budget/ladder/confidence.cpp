#include "budget/ladder/confidence.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace headroom {
namespace {

// Probabilities this close to 0 or 1 say no more than this.
constexpr double least_probability = 1e-9;

double log_odds(double probability) {
  const double p = std::clamp(probability, least_probability, 1 - least_probability);
  return std::log(p / (1 - p));
}

double second_score(std::span<const double> scores, size_t best) {
  double second = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (i != best) second = std::max(second, scores[i]);
  }
  return second;
}

double certainty(std::span<const double> scores) {
  if (scores.size() < 2) return 1;
  double entropy = 0;
  for (const double score : scores) {
    if (score > 0) entropy -= score * std::log(score);
  }
  return std::clamp(1 - entropy / std::log(static_cast<double>(scores.size())), 0.0, 1.0);
}

}  // namespace

void apply_temperature(std::span<double> scores, double temperature) {
  if (temperature == 1) return;
  const double largest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& score : scores) {
    score = std::pow(score / largest, 1 / temperature);
    sum += score;
  }
  for (double& score : scores) score /= sum;
}

void blend(std::span<double> scores, std::span<const double> zero, double weight) {
  if (weight == 0) return;
  std::vector<double> product(scores.size());
  double sum = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    product[i] = scores[i] * std::pow(zero[i], weight);
    sum += product[i];
  }
  if (!(sum > 0)) return;
  for (size_t i = 0; i < scores.size(); ++i) scores[i] = product[i] / sum;
}

size_t best_label(std::span<const double> scores) {
  return static_cast<size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

RuleFeatures rule_features(std::span<const double> scores, std::span<const double> previous) {
  const size_t best = best_label(scores);
  const double second = std::max(second_score(scores, best), least_probability);
  RuleFeatures features = {1, log_odds(scores[best]), std::log(scores[best] / second),
                           certainty(scores)};
  if (!previous.empty()) {
    features[4] = best_label(previous) == best ? 1 : 0;
    features[5] = log_odds(previous[best]);
  }
  return features;
}

double confidence_of(Confidence kind, std::span<const double> scores,
                     std::span<const double> previous, std::span<const double> rule) {
  const size_t best = best_label(scores);
  switch (kind) {
    case Confidence::top:
      return scores[best];
    case Confidence::margin:
      return scores[best] - second_score(scores, best);
    case Confidence::entropy:
      return certainty(scores);
    case Confidence::learned:
      break;
  }
  const RuleFeatures features = rule_features(scores, previous);
  return 1 /
         (1 + std::exp(-std::inner_product(features.begin(), features.end(), rule.begin(), 0.0)));
}

}  // namespace headroom
