#include "budget/allocation/best_counts.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace headroom {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

// Of one kind: for every number of units that all layers keep together, the least added loss.
class Spread {
 public:
  explicit Spread(const std::vector<std::vector<double>>& layers) {
    for (const std::vector<double>& added : layers) add_layer(added);
  }

  int64_t least() const { return static_cast<int64_t>(kept_.size()); }
  int64_t most() const { return static_cast<int64_t>(loss_.size()) - 1; }
  double loss(int64_t total) const { return loss_[static_cast<size_t>(total)]; }

  // The best total up to `most`; of equals the largest.
  int64_t best_up_to(int64_t most) const {
    int64_t best = least();
    for (int64_t total = best; total <= std::min(most, this->most()); ++total) {
      if (loss(total) <= loss(best)) best = total;
    }
    return best;
  }

  std::vector<int64_t> counts(int64_t total) const {
    std::vector<int64_t> counts(kept_.size());
    for (size_t layer = kept_.size(); layer-- > 0;) {
      counts[layer] = kept_[layer][static_cast<size_t>(total)];
      total -= counts[layer];
    }
    return counts;
  }

 private:
  void add_layer(const std::vector<double>& added) {
    std::vector<double> loss(loss_.size() + added.size(), never);
    std::vector<int64_t> kept(loss.size(), 1);
    for (size_t before = 0; before < loss_.size(); ++before) {
      for (size_t i = 0; i < added.size(); ++i) {
        const double sum = loss_[before] + added[i];
        const size_t total = before + i + 1;
        if (sum >= loss[total]) continue;
        loss[total] = sum;
        kept[total] = static_cast<int64_t>(i) + 1;
      }
    }
    loss_ = std::move(loss);
    kept_.push_back(std::move(kept));
  }

  std::vector<double> loss_ = {0.0};
  std::vector<std::vector<int64_t>> kept_;  // by layer and total so far: its units
};

}  // namespace

UnitCounts best_counts(const AddedLoss& added, const UnitMacs& macs, double room) {
  const Spread heads(added.heads);
  const Spread groups(added.groups);
  int64_t best_heads = heads.least();
  int64_t best_groups = groups.least();
  double best_loss = never;
  double best_cost = 0;
  for (int64_t h = heads.least(); h <= heads.most(); ++h) {
    const double left = room - static_cast<double>(h) * macs.head;
    if (left < static_cast<double>(groups.least()) * macs.group) break;
    const int64_t g =
        groups.most() == 0 ? 0 : groups.best_up_to(static_cast<int64_t>(left / macs.group));
    const double loss = heads.loss(h) + groups.loss(g);
    const double cost = static_cast<double>(h) * macs.head + static_cast<double>(g) * macs.group;
    if (loss > best_loss || (loss == best_loss && cost <= best_cost)) continue;
    best_heads = h;
    best_groups = g;
    best_loss = loss;
    best_cost = cost;
  }
  return {heads.counts(best_heads), groups.counts(best_groups)};
}

}  // namespace headroom
