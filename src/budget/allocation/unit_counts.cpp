#include "budget/allocation/unit_counts.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "budget/cost.h"
#include "budget/fraction.h"

namespace headroom {
namespace {

UnitCounts even_counts(const UnitOrder& order, int64_t heads, int64_t groups) {
  const auto layers = static_cast<size_t>(order.layers);
  return {std::vector<int64_t>(layers, heads),
          std::vector<int64_t>(order.groups > 0 ? layers : 0, groups)};
}

// The leading run in which no layer's heads or groups come twice.
size_t least_units(const UnitOrder& order) {
  UnitCounts seen = even_counts(order, 0, 0);
  size_t count = 0;
  for (; count < order.units.size(); ++count) {
    const Unit unit = order.units[count];
    if (seen.of(unit.kind)[static_cast<size_t>(unit.layer)]++ > 0) break;
  }
  return count;
}

// When unit `index` of a layer and kind comes alive: the rung's number and how far towards it.
double moment(const std::vector<UnitCounts>& rungs, UnitKind kind, size_t layer, int64_t index) {
  if (index == 0) return -1;
  int64_t before = 1;
  for (size_t rung = 0; rung < rungs.size(); ++rung) {
    const int64_t alive = rungs[rung].of(kind)[layer];
    if (index < alive) {
      return static_cast<double>(rung) +
             static_cast<double>(index - before + 1) / static_cast<double>(alive - before + 1);
    }
    before = std::max(before, alive);
  }
  return static_cast<double>(rungs.size());
}

}  // namespace

int64_t UnitCounts::total() const {
  return std::accumulate(heads.begin(), heads.end(), int64_t{0}) +
         std::accumulate(groups.begin(), groups.end(), int64_t{0});
}

double unit_macs(UnitKind kind, const ModelShape& shape, int64_t group_width) {
  if (kind == UnitKind::ffn) return static_cast<double>(2 * shape.width * group_width);
  return head_macs(shape, priced_tokens) / static_cast<double>(priced_tokens);
}

double macs_of(const UnitCounts& counts, const ModelShape& shape, int64_t group_width) {
  double sum = 0;
  for (const UnitKind kind : {UnitKind::head, UnitKind::ffn}) {
    const auto& alive = counts.of(kind);
    sum += static_cast<double>(std::accumulate(alive.begin(), alive.end(), int64_t{0})) *
           unit_macs(kind, shape, group_width);
  }
  return sum;
}

double room_at(const UnitOrder& order, const ModelShape& shape, double budget) {
  // The slack forgives rounding in budgets like 0.1 + 0.2, not a unit too many.
  return checked_budget(budget) * macs_of(full_counts(order), shape, order.group_width) *
         (1 + 1e-9);
}

UnitCounts least_counts(const UnitOrder& order) {
  return even_counts(order, 1, 1);
}

UnitCounts full_counts(const UnitOrder& order) {
  return even_counts(order, order.heads, order.groups);
}

UnitCounts counts_at(const UnitOrder& order, const ModelShape& shape, double budget) {
  const double room = room_at(order, shape, budget);
  const size_t least = least_units(order);
  UnitCounts counts = even_counts(order, 0, 0);
  double spent = 0;
  for (size_t i = 0; i < order.units.size(); ++i) {
    const Unit unit = order.units[i];
    spent += unit_macs(unit.kind, shape, order.group_width);
    if (spent > room && i >= least) break;
    ++counts.of(unit.kind)[static_cast<size_t>(unit.layer)];
  }
  return counts;
}

Selection selection_of(const UnitCounts& counts, int64_t heads, int64_t group_width) {
  Selection selection{heads, {}, {}};
  for (const int64_t alive : counts.heads) {
    std::vector<int32_t> kept(static_cast<size_t>(alive));
    std::iota(kept.begin(), kept.end(), 0);
    selection.kept.push_back(std::move(kept));
  }
  for (const int64_t alive : counts.groups) selection.ffn.push_back(alive * group_width);
  return selection;
}

UnitOrder order_through(const std::vector<UnitCounts>& rungs, int64_t group_width) {
  const UnitCounts& all = rungs.back();
  UnitOrder order{static_cast<int64_t>(all.heads.size()),
                  all.heads.at(0),
                  all.groups.empty() ? 0 : all.groups[0],
                  group_width,
                  {}};
  std::vector<std::pair<double, Unit>> timed;
  for (size_t layer = 0; layer < all.heads.size(); ++layer) {
    for (const auto& [kind, count] :
         {std::pair(UnitKind::head, order.heads), std::pair(UnitKind::ffn, order.groups)}) {
      for (int64_t i = 0; i < count; ++i) {
        timed.push_back({moment(rungs, kind, layer, i), {kind, static_cast<int32_t>(layer)}});
      }
    }
  }
  std::stable_sort(timed.begin(), timed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [when, unit] : timed) order.units.push_back(unit);
  return order;
}

}  // namespace headroom
