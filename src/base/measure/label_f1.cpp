#include "base/measure/label_f1.h"

#include <algorithm>
#include <utility>

namespace headroom {
namespace {

// Of one label: (score, truth) of every row.
double best_threshold(std::vector<std::pair<float, bool>> rows, double fallback) {
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return a.first > b.first; });
  HitCounts counts;
  for (const auto& row : rows) counts.truth += row.second ? 1 : 0;
  double best = 0;
  double threshold = fallback;
  for (size_t i = 0; i < rows.size(); ++i) {
    counts.correct += rows[i].second ? 1 : 0;
    ++counts.found;
    if (i + 1 < rows.size() && rows[i + 1].first == rows[i].first) continue;
    if (counts.f1() <= best) continue;
    best = counts.f1();
    const double here = rows[i].first;
    threshold = i + 1 < rows.size() ? (here + static_cast<double>(rows[i + 1].first)) / 2 : here;
  }
  return threshold;
}

}  // namespace

LabelF1 label_f1(std::span<const HitCounts> counts) {
  HitCounts all;
  LabelF1 result;
  for (const HitCounts& label : counts) {
    all += label;
    result.macro += label.f1() / static_cast<double>(counts.size());
  }
  result.micro = all.f1();
  result.precision = all.precision();
  result.recall = all.recall();
  return result;
}

std::vector<HitCounts> count_labels(std::span<const float> scores, std::span<const float> truth,
                                    std::span<const double> thresholds) {
  std::vector<HitCounts> counts(thresholds.size());
  for (size_t i = 0; i < scores.size(); ++i) {
    HitCounts& label = counts[i % thresholds.size()];
    const bool found = scores[i] >= thresholds[i % thresholds.size()];
    const bool is_true = truth[i] > 0.5F;
    label.found += found ? 1 : 0;
    label.truth += is_true ? 1 : 0;
    label.correct += found && is_true ? 1 : 0;
  }
  return counts;
}

std::vector<double> best_thresholds(std::span<const float> scores, std::span<const float> truth,
                                    size_t labels, double fallback) {
  std::vector<double> thresholds;
  for (size_t label = 0; label < labels; ++label) {
    std::vector<std::pair<float, bool>> rows;
    for (size_t i = label; i < scores.size(); i += labels) {
      rows.emplace_back(scores[i], truth[i] > 0.5F);
    }
    thresholds.push_back(best_threshold(std::move(rows), fallback));
  }
  return thresholds;
}

}  // namespace headroom
