#include "budget/selection.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "budget/fraction.h"

namespace headroom {

int64_t Selection::total() const {
  int64_t sum = 0;
  for (const auto& layer : kept) sum += static_cast<int64_t>(layer.size());
  return sum;
}

double Selection::active_fraction() const {
  return static_cast<double>(total()) / static_cast<double>(layers() * heads);
}

double Selection::active_ffn(int64_t width) const {
  int64_t sum = 0;
  for (int64_t layer = 0; layer < layers(); ++layer) sum += ffn_of(layer, width);
  return static_cast<double>(sum) / static_cast<double>(layers() * width);
}

int64_t heads_at(double budget, int64_t layers, int64_t heads) {
  const double wanted = checked_budget(budget) * static_cast<double>(layers * heads);
  return std::max(layers, static_cast<int64_t>(std::llround(wanted)));
}

Selection select_heads(const HeadOrder& order, double budget) {
  Selection selection{order.heads, {}, {}};
  selection.kept.resize(static_cast<size_t>(order.layers));
  const int64_t count = heads_at(budget, order.layers, order.heads);
  for (int64_t i = 0; i < count; ++i) {
    const HeadUnit unit = order.units[static_cast<size_t>(i)];
    selection.kept[static_cast<size_t>(unit.layer)].push_back(unit.head);
  }
  for (auto& layer : selection.kept) std::sort(layer.begin(), layer.end());
  return selection;
}

Selection all_heads(int64_t layers, int64_t heads) {
  std::vector<int32_t> every(static_cast<size_t>(heads));
  std::iota(every.begin(), every.end(), 0);
  return {heads, std::vector<std::vector<int32_t>>(static_cast<size_t>(layers), every), {}};
}

int64_t shared_heads(const Selection& a, const Selection& b) {
  int64_t shared = 0;
  for (size_t layer = 0; layer < a.kept.size(); ++layer) {
    std::vector<int32_t> both;
    std::set_intersection(a.kept[layer].begin(), a.kept[layer].end(), b.kept[layer].begin(),
                          b.kept[layer].end(), std::back_inserter(both));
    shared += static_cast<int64_t>(both.size());
  }
  return shared;
}

bool is_subset(const Selection& small, const Selection& large) {
  if (shared_heads(small, large) != small.total()) return false;
  if (large.ffn.empty()) return true;  // its FFNs are whole
  for (size_t layer = 0; layer < large.ffn.size(); ++layer) {
    if (small.ffn.empty() || small.ffn[layer] > large.ffn[layer]) return false;
  }
  return true;
}

}  // namespace headroom
