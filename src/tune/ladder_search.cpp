#include "tune/ladder_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "tune/rule.h"

namespace headroom {
namespace {

constexpr double never = 2;      // a threshold that no confidence reaches
constexpr size_t most_axes = 3;  // rungs that have thresholds
using Index = std::array<size_t, most_axes>;

// Sums over boxes of bins: at(t) is the sum over all bins below t on every axis.
class BoxSums {
 public:
  BoxSums(size_t axes, size_t grid) : axes_(axes), side_(grid + 1) {
    size_t size = 1;
    for (size_t axis = 0; axis < axes; ++axis) size *= side_;
    sums_.resize(size);
  }

  void add(const Index& bin, int64_t value) {
    Index behind = bin;
    for (size_t axis = 0; axis < axes_; ++axis) ++behind[axis];
    sums_[flat(behind)] += value;
  }

  void accumulate() {
    size_t stride = 1;
    for (size_t axis = 0; axis < axes_; ++axis, stride *= side_) {
      for (size_t i = 0; i < sums_.size(); ++i) {
        if (i / stride % side_ > 0) sums_[i] += sums_[i - stride];
      }
    }
  }

  int64_t at(const Index& index) const { return sums_[flat(index)]; }

 private:
  size_t flat(const Index& index) const {
    size_t cell = 0;
    for (size_t axis = axes_; axis-- > 0;) cell = cell * side_ + index[axis];
    return cell;
  }

  size_t axes_;
  size_t side_;
  std::vector<int64_t> sums_;
};

// Thresholds 0 (stop always), quantiles of the confidences, and one that nobody reaches.
std::vector<double> threshold_grid(std::vector<double> confidences, size_t grid) {
  std::sort(confidences.begin(), confidences.end());
  std::vector<double> thresholds = {0};
  for (size_t i = 1; i < grid; ++i)
    thresholds.push_back(confidences[i * confidences.size() / grid]);
  thresholds.push_back(never);
  return thresholds;
}

// The cheapest candidate of every loss, by half rows: finer steps would be noise.
using Best = std::map<int64_t, LadderCandidate>;

void offer(Best& best, int64_t loss, double cost, const LadderCandidate& ladder,
           const std::vector<std::vector<double>>& grids, const Index& index) {
  const int64_t step = loss / (loss_unit / 2);
  const auto known = best.find(step);
  if (known != best.end() && known->second.cost <= cost) return;
  LadderCandidate candidate = ladder;
  candidate.loss = loss;
  candidate.cost = cost;
  candidate.thresholds.clear();
  for (size_t axis = 0; axis < grids.size(); ++axis) {
    candidate.thresholds.push_back(grids[axis][index[axis]]);
  }
  best[step] = std::move(candidate);
}

// Tries every combination of thresholds: with sums over boxes each takes a few additions, however
// many rows there are.
void try_thresholds(const ScoredRows& rows, const LadderSearch& search,
                    const LadderCandidate& ladder, Best& best) {
  const size_t axes = ladder.budgets.size() - 1;
  const size_t grid = search.grid;
  std::vector<std::vector<double>> grids;
  std::vector<Index> bins(rows.size());
  for (size_t axis = 0; axis < axes; ++axis) {
    const std::vector<double> sure = confidences_of(rows, ladder, axis);
    grids.push_back(threshold_grid(sure, grid));
    // A row stops at threshold t when its bin is t or above.
    for (size_t row = 0; row < rows.size(); ++row) {
      const auto above = std::upper_bound(grids[axis].begin(), grids[axis].end(), sure[row]);
      bins[row][axis] = static_cast<size_t>(above - grids[axis].begin()) - 1;
    }
  }
  BoxSums counts(axes, grid);
  std::vector<BoxSums> losses(axes + 1, BoxSums(axes, grid));
  for (size_t row = 0; row < rows.size(); ++row) {
    counts.add(bins[row], 1);
    for (size_t rung = 0; rung <= axes; ++rung) {
      losses[rung].add(bins[row], expected_loss(rows, search.loss, ladder.budgets[rung], row));
    }
  }
  counts.accumulate();
  for (BoxSums& sums : losses) sums.accumulate();
  Index thresholds{};
  while (true) {
    int64_t loss = 0;
    double cost = 0;
    Index reached{};  // thresholds of the rungs before, open behind them
    for (size_t axis = 0; axis < axes; ++axis) reached[axis] = grid;
    for (size_t rung = 0; rung <= axes; ++rung) {
      cost += rows.at_budgets[ladder.budgets[rung]].cost * static_cast<double>(counts.at(reached));
      loss += losses[rung].at(reached);
      if (rung == axes) break;
      reached[rung] = thresholds[rung];
      loss -= losses[rung].at(reached);
    }
    offer(best, loss, cost / static_cast<double>(rows.size()), ladder, grids, thresholds);
    size_t axis = 0;
    while (axis < axes && thresholds[axis] == grid) thresholds[axis++] = 0;
    if (axis == axes) return;
    ++thresholds[axis];
  }
}

std::vector<LadderCandidate> frontier(const Best& best) {
  std::vector<LadderCandidate> candidates;
  for (const auto& [step, candidate] : best) {
    if (candidates.empty() || candidate.cost < candidates.back().cost) {
      candidates.push_back(candidate);
    }
  }
  return candidates;
}

// Each rung's rule is about the rung before it too, so every ladder has its own.
void fit_rules(const ScoredRows& rows, LadderCandidate& ladder) {
  ladder.rules.clear();
  for (size_t rung = 0; rung + 1 < ladder.budgets.size(); ++rung) {
    std::vector<RuleFeatures> features;
    std::vector<char> holds;
    for (size_t row = 0; row < rows.size(); ++row) {
      const Scores none;
      const Scores& previous =
          rung == 0 ? none : rows.at_budgets[ladder.budgets[rung - 1]].scores[row];
      const size_t budget = ladder.budgets[rung];
      features.push_back(rule_features(rows.at_budgets[budget].scores[row], previous));
      holds.push_back(loss_of(rows, Loss::disagreement, budget, row) == 0 ? 1 : 0);
    }
    ladder.rules.push_back(fit_rule(features, holds));
  }
}

}  // namespace

int loss_of(const ScoredRows& rows, Loss loss, size_t budget, size_t row) {
  const size_t full = best_label(rows.at_budgets.back().scores[row]);
  const size_t here = best_label(rows.at_budgets[budget].scores[row]);
  if (here == full) return 0;
  if (loss == Loss::disagreement) return 1;
  const auto right = static_cast<size_t>(rows.labels[row]);
  return (full == right ? 1 : 0) - (here == right ? 1 : 0);
}

int64_t expected_loss(const ScoredRows& rows, Loss loss, size_t budget, size_t row) {
  const Scores& full = rows.at_budgets.back().scores[row];
  const size_t best = best_label(full);
  const size_t here = best_label(rows.at_budgets[budget].scores[row]);
  if (here == best) return 0;
  return loss == Loss::disagreement
             ? loss_unit
             : std::llround(static_cast<double>(loss_unit) * (full[best] - full[here]));
}

std::vector<double> confidences_of(const ScoredRows& rows, const LadderCandidate& ladder,
                                   size_t rung) {
  const Scores none;
  const std::vector<double> no_rule;
  std::vector<double> sure;
  for (size_t row = 0; row < rows.size(); ++row) {
    sure.push_back(
        confidence_of(ladder.confidence, rows.at_budgets[ladder.budgets[rung]].scores[row],
                      rung == 0 ? none : rows.at_budgets[ladder.budgets[rung - 1]].scores[row],
                      ladder.rules.empty() ? no_rule : ladder.rules[rung]));
  }
  return sure;
}

std::vector<size_t> last_rungs(const ScoredRows& rows, const LadderCandidate& ladder) {
  const size_t last = ladder.budgets.size() - 1;
  std::vector<size_t> rungs(rows.size(), last);
  for (size_t rung = last; rung-- > 0;) {
    const std::vector<double> sure = confidences_of(rows, ladder, rung);
    for (size_t row = 0; row < rows.size(); ++row) {
      if (sure[row] >= ladder.thresholds[rung]) rungs[row] = rung;
    }
  }
  return rungs;
}

std::vector<LadderCandidate> search_ladders(const ScoredRows& rows, const LadderSearch& search) {
  const size_t full = rows.at_budgets.size() - 1;
  Best best;
  for (size_t subset = 0; subset < size_t{1} << full; ++subset) {
    LadderCandidate ladder;
    for (size_t budget = 0; budget < full; ++budget) {
      if ((subset >> budget & 1) != 0) ladder.budgets.push_back(budget);
    }
    ladder.budgets.push_back(full);
    if (ladder.budgets.size() > std::min(search.most_rungs, most_axes + 1)) continue;
    for (const Confidence confidence : search.confidences) {
      ladder.confidence = confidence;
      ladder.rules.clear();
      if (confidence == Confidence::learned) fit_rules(rows, ladder);
      try_thresholds(rows, search, ladder, best);
      if (ladder.budgets.size() == 1) break;  // the full model decides nothing
    }
  }
  return frontier(best);
}

std::vector<LadderCandidate> search_thresholds(const ScoredRows& rows, const LadderSearch& search,
                                               const LadderCandidate& ladder) {
  Best best;
  try_thresholds(rows, search, ladder, best);
  return frontier(best);
}

}  // namespace headroom
