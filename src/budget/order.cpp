#include "budget/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/random.h"

namespace headroom {

std::vector<int64_t> argsort_descending(const std::vector<double>& scores) {
  std::vector<int64_t> indices(scores.size());
  std::iota(indices.begin(), indices.end(), 0);
  std::stable_sort(indices.begin(), indices.end(), [&](int64_t a, int64_t b) {
    return scores[static_cast<size_t>(a)] > scores[static_cast<size_t>(b)];
  });
  return indices;
}

HeadOrder order_by_score(const std::vector<double>& scores, int64_t layers, int64_t heads) {
  HeadOrder order{layers, heads, {}};
  std::vector<bool> layer_seen(static_cast<size_t>(layers));
  std::vector<HeadUnit> rest;
  for (const int64_t index : argsort_descending(scores)) {
    const HeadUnit unit{static_cast<int32_t>(index / heads), static_cast<int32_t>(index % heads)};
    const auto layer = static_cast<size_t>(unit.layer);
    (layer_seen[layer] ? rest : order.units).push_back(unit);
    layer_seen[layer] = true;
  }
  order.units.insert(order.units.end(), rest.begin(), rest.end());
  return order;
}

HeadOrder random_order(int64_t layers, int64_t heads, uint64_t seed) {
  Random random{seed, 0x6f72646572};
  std::vector<double> scores(static_cast<size_t>(layers * heads));
  for (double& score : scores) score = random.uniform();
  return order_by_score(scores, layers, heads);
}

void check_order(const HeadOrder& order) {
  const auto fail = [](const std::string& why) {
    throw Error(ErrorCode::bad_model, "check head order", why);
  };
  const int64_t total = order.layers * order.heads;
  if (static_cast<int64_t>(order.units.size()) != total) {
    fail(fmt::format("{} entries for {} heads", order.units.size(), total));
  }
  std::vector<bool> seen(order.units.size());
  std::vector<bool> layer_seen(static_cast<size_t>(order.layers));
  for (size_t i = 0; i < order.units.size(); ++i) {
    const HeadUnit unit = order.units[i];
    if (unit.layer < 0 || unit.layer >= order.layers || unit.head < 0 || unit.head >= order.heads) {
      fail(fmt::format("entry {} names layer {}, head {}, which the model does not have", i,
                       unit.layer, unit.head));
    }
    const auto index = static_cast<size_t>(unit.layer * order.heads + unit.head);
    if (seen[index]) fail(fmt::format("layer {}, head {} appears twice", unit.layer, unit.head));
    seen[index] = true;
    if (static_cast<int64_t>(i) < order.layers) layer_seen[static_cast<size_t>(unit.layer)] = true;
  }
  if (std::find(layer_seen.begin(), layer_seen.end(), false) != layer_seen.end()) {
    fail(fmt::format("the first {} entries must hold one head of each layer", order.layers));
  }
}

}  // namespace headroom
