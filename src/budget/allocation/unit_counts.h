// How many units of each layer are alive, and what they cost: a selection of a nested model without
// the names of its heads.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "budget/unit_order.h"

namespace headroom {

struct UnitCounts {
  std::vector<int64_t> heads;   // per layer
  std::vector<int64_t> groups;  // per layer; of an order of heads only empty

  int64_t total() const;
  const std::vector<int64_t>& of(UnitKind kind) const {
    return kind == UnitKind::head ? heads : groups;
  }
  std::vector<int64_t>& of(UnitKind kind) { return kind == UnitKind::head ? heads : groups; }
  auto operator<=>(const UnitCounts&) const = default;
};

// What one unit costs per token at `priced_tokens`, in MACs.
double unit_macs(UnitKind kind, const ModelShape& shape, int64_t group_width);

// `group_width` 0: heads only.
double macs_of(const UnitCounts& counts, const ModelShape& shape, int64_t group_width);

// What a budget may cost: that share of every unit's MACs.
double room_at(const UnitOrder& order, const ModelShape& shape, double budget);

// One unit of each kind in every layer, and all of them.
UnitCounts least_counts(const UnitOrder& order);
UnitCounts full_counts(const UnitOrder& order);

// The longest prefix of the order that costs no more than the budget, and never less than its least
// selection.
UnitCounts counts_at(const UnitOrder& order, const ModelShape& shape, double budget);

// The first units of each layer.
Selection selection_of(const UnitCounts& counts, int64_t heads, int64_t group_width);

// The order in which units come alive on the way through `rungs`: each holds the one before, the
// last holds everything. First one of each kind in every layer; between two rungs every layer and
// kind gets its units at an even pace.
UnitOrder order_through(const std::vector<UnitCounts>& rungs, int64_t group_width);

}  // namespace headroom
