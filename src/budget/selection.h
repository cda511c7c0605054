// Which heads are alive at a budget.
#pragma once

#include <cstdint>
#include <vector>

#include "budget/order.h"

namespace headroom {

struct HeadSelection {
  int64_t heads = 0;                       // H, before selection
  std::vector<std::vector<int32_t>> kept;  // per layer, ascending head numbers

  int64_t layers() const { return static_cast<int64_t>(kept.size()); }
  int64_t total() const;
  double active_fraction() const;
  bool operator==(const HeadSelection&) const = default;
};

// K = max(L, round(budget * L * H)): the prefix of the order that a budget keeps.
int64_t heads_at(double budget, int64_t layers, int64_t heads);

HeadSelection select_heads(const HeadOrder& order, double budget);
HeadSelection all_heads(int64_t layers, int64_t heads);

// How many heads two selections have in common.
int64_t shared_heads(const HeadSelection& a, const HeadSelection& b);
bool is_subset(const HeadSelection& small, const HeadSelection& large);

}  // namespace headroom
