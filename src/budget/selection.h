// Which heads and how much of each FFN are alive at a budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "budget/order.h"

namespace headroom {

struct Selection {
  int64_t heads = 0;                       // H, before selection
  std::vector<std::vector<int32_t>> kept;  // per layer, ascending head numbers
  // Per layer, how many FFN neurons, always the first ones: models whose budget governs the FFN are
  // stored in the order of importance. Empty: every layer's whole FFN.
  std::vector<int64_t> ffn;

  int64_t layers() const { return static_cast<int64_t>(kept.size()); }
  int64_t total() const;  // heads kept
  int64_t heads_of(int64_t layer) const {
    return static_cast<int64_t>(kept[static_cast<size_t>(layer)].size());
  }
  double active_fraction() const;
  int64_t ffn_of(int64_t layer, int64_t width) const {  // neurons kept of a layer with `width`
    return ffn.empty() ? width : ffn[static_cast<size_t>(layer)];
  }
  double active_ffn(int64_t width) const;
  bool operator==(const Selection&) const = default;
};

// K = max(L, round(budget * L * H)): the prefix of the order that a budget keeps.
int64_t heads_at(double budget, int64_t layers, int64_t heads);

Selection select_heads(const HeadOrder& order, double budget);
Selection all_heads(int64_t layers, int64_t heads);

// How many heads two selections have in common.
int64_t shared_heads(const Selection& a, const Selection& b);

// Whether everything alive in `small` is alive in `large`.
bool is_subset(const Selection& small, const Selection& large);

}  // namespace headroom
