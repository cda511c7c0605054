#include "budget/allocation/search_order.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "budget/allocation/best_counts.h"
#include "budget/allocation/unit_counts.h"

namespace headroom {
namespace {

// Selections that may be asked about beside those of step 1: as many as that asks about in a model
// of 12 layers.
constexpr int64_t most_tried = 192;
constexpr int64_t most_changes = 10 * most_tried;  // where most lead to selections seen before
constexpr uint64_t most_swaps = 4;                 // in one change

struct Candidate {
  UnitOrder order;
  std::vector<double> losses;  // by budget

  double total() const { return std::accumulate(losses.begin(), losses.end(), 0.0); }
};

// For 1 ... count units: known for 1 and `middle`, 0 for all, and straight lines between them.
std::vector<double> interpolated(double of_one, double of_middle, int64_t middle, int64_t count) {
  std::vector<double> values;
  const auto share = [](int64_t part, int64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  for (int64_t k = 1; k < count; ++k) {
    values.push_back(k < middle ? std::lerp(of_one, of_middle, share(k - 1, middle - 1))
                                : std::lerp(of_middle, 0.0, share(k - middle, count - middle)));
  }
  values.push_back(0);
  return values;
}

// Those at which there is something to choose.
std::vector<double> open_budgets(const ModelShape& shape, const UnitOrder& order,
                                 const std::vector<double>& budgets) {
  const double least = macs_of(least_counts(order), shape, order.group_width);
  std::vector<double> open;
  for (const double budget : budgets) {
    if (budget < 1 && room_at(order, shape, budget) > least) open.push_back(budget);
  }
  return open;
}

class OrderSearch {
 public:
  OrderSearch(const ModelShape& shape, const UnitOrder& start, const std::vector<double>& budgets,
              const SelectionLoss& loss)
      : shape_(shape), start_(start), loss_(loss), budgets_(open_budgets(shape, start, budgets)) {}

  SearchedOrder run(Random& random) {
    const UnitOrder uniform = uniform_order(shape_, start_.group_width);
    for (const double budget : budgets_) uniform_.push_back(loss_at(uniform, budget));
    best_ = {uniform, uniform_};
    const std::vector<UnitOrder> parents = {uniform, start_, solved_order()};
    limit_ = asked_ + most_tried;
    for (const UnitOrder& parent : parents) consider(parent);
    for (const UnitOrder& early : parents) {
      for (const UnitOrder& late : parents) {
        if (early == late) continue;
        for (const double budget : budgets_) consider(joined(early, budget, late));
      }
    }
    for (int64_t i = 0; i < most_changes && asked_ < limit_ && !budgets_.empty(); ++i) {
      consider(changed(best_.order, random));
    }
    return found();
  }

 private:
  double loss_of(const UnitCounts& counts) {
    const auto known = seen_.find(counts);
    if (known != seen_.end()) return known->second;
    ++asked_;
    const double loss = loss_(selection_of(counts, start_.heads, start_.group_width));
    seen_.emplace(counts, loss);
    return loss;
  }
  double loss_at(const UnitOrder& order, double budget) {
    return loss_of(counts_at(order, shape_, budget));
  }

  // Small budgets first: they cost least to ask about and most often say no.
  void consider(UnitOrder order) {
    Candidate candidate{std::move(order), {}};
    for (size_t i = 0; i < budgets_.size(); ++i) {
      const UnitCounts counts = counts_at(candidate.order, shape_, budgets_[i]);
      if (asked_ >= limit_ && !seen_.contains(counts)) return;
      candidate.losses.push_back(loss_of(counts));
      if (candidate.losses.back() > uniform_[i]) return;
    }
    if (candidate.total() < best_.total()) best_ = std::move(candidate);
  }

  AddedLoss added_loss(const UnitCounts& now) {
    AddedLoss added;
    const double before = loss_of(now);
    for (const UnitKind kind : {UnitKind::head, UnitKind::ffn}) {
      for (size_t layer = 0; layer < now.of(kind).size(); ++layer) {
        const auto at = [&](int64_t count) {
          UnitCounts fewer = now;
          fewer.of(kind)[layer] = count;
          return loss_of(fewer) - before;
        };
        const int64_t count = now.of(kind)[layer];
        const int64_t middle = (count + 1) / 2;
        (kind == UnitKind::head ? added.heads : added.groups)
            .push_back(interpolated(at(1), at(middle), middle, count));
      }
    }
    return added;
  }

  UnitOrder solved_order() {
    const UnitMacs macs = {unit_macs(UnitKind::head, shape_, start_.group_width),
                           unit_macs(UnitKind::ffn, shape_, start_.group_width)};
    std::vector<UnitCounts> rungs = {full_counts(start_)};
    for (size_t i = budgets_.size(); i-- > 0;) {
      rungs.push_back(
          best_counts(added_loss(rungs.back()), macs, room_at(start_, shape_, budgets_[i])));
    }
    std::reverse(rungs.begin(), rungs.end());
    return order_through(rungs, start_.group_width);
  }

  // The units of `early` up to a budget, then the others as `late` has them.
  UnitOrder joined(const UnitOrder& early, double budget, const UnitOrder& late) const {
    UnitCounts skipped = counts_at(early, shape_, budget);
    UnitOrder order = early;
    order.units.resize(static_cast<size_t>(skipped.total()));
    for (const Unit unit : late.units) {
      int64_t& left = skipped.of(unit.kind)[static_cast<size_t>(unit.layer)];
      if (left > 0) {
        --left;
      } else {
        order.units.push_back(unit);
      }
    }
    return order;
  }

  // A few units alive at a budget change places with some that would come before the next one.
  UnitOrder changed(UnitOrder order, Random& random) const {
    const size_t at = random.below(budgets_.size());
    const auto size_at = [&](size_t i) {
      return static_cast<uint64_t>(i < budgets_.size()
                                       ? counts_at(order, shape_, budgets_[i]).total()
                                       : full_counts(order).total());
    };
    const auto least = static_cast<uint64_t>(least_counts(order).total());
    const uint64_t alive = size_at(at);
    const uint64_t next = size_at(at + 1);
    if (alive == least || next == alive) return order;
    for (uint64_t swaps = 1 + random.below(most_swaps); swaps > 0; --swaps) {
      std::swap(order.units[least + random.below(alive - least)],
                order.units[alive + random.below(next - alive)]);
    }
    return order;
  }

  SearchedOrder found() const {
    SearchedOrder found{best_.order, {}, asked_};
    for (size_t i = 0; i < budgets_.size(); ++i) {
      found.budgets.push_back({budgets_[i], best_.losses[i], uniform_[i]});
    }
    return found;
  }

  const ModelShape& shape_;
  const UnitOrder& start_;
  const SelectionLoss& loss_;
  std::vector<double> budgets_;
  std::vector<double> uniform_;  // its loss, by budget
  Candidate best_;
  std::map<UnitCounts, double> seen_;
  int64_t asked_ = 0;
  int64_t limit_ = 0;
};

}  // namespace

SearchedOrder search_order(const ModelShape& shape, const UnitOrder& start,
                           const std::vector<double>& budgets, const SelectionLoss& loss,
                           Random& random) {
  return OrderSearch(shape, start, budgets, loss).run(random);
}

int64_t most_evaluations(const ModelShape& shape, const UnitOrder& start,
                         const std::vector<double>& budgets) {
  const int64_t kinds = start.groups > 0 ? 2 : 1;
  // The uniform selection, the counts of the budget above, and two others a layer and kind.
  const int64_t measured = 2 + 2 * kinds * start.layers;
  return static_cast<int64_t>(open_budgets(shape, start, budgets).size()) * measured + most_tried;
}

}  // namespace headroom
