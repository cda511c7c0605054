// When each unit of a nested model comes alive. A unit is a head of a layer or a group of its FFN
// neurons. Nested models are stored with each layer's heads and neurons in order of importance, so
// a unit needs no number: "h2" is the next head of layer 2, "f0" the next FFN group of layer 0.
//
// A budget is the longest prefix of the order that costs no more than that share of the elastic
// MACs, so a smaller budget's units are always among a larger one's. The least selection is the
// leading run in which no layer's heads or groups come twice: one head and one group of each layer
// that the order starts with. A layer without heads (or groups) skips its attention (or FFN), norm
// and residual included.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "budget/selection.h"
#include "budget/shape.h"

namespace headroom {

enum class UnitKind { head, ffn };

struct Unit {
  UnitKind kind = UnitKind::head;
  int32_t layer = 0;
  bool operator==(const Unit&) const = default;
};

struct UnitOrder {
  int64_t layers = 0;
  int64_t heads = 0;        // per layer
  int64_t groups = 0;       // FFN groups per layer; 0: the budget governs heads only
  int64_t group_width = 0;  // neurons in a group
  std::vector<Unit> units;  // every layer `heads` times as a head and `groups` times as a group

  bool operator==(const UnitOrder&) const = default;
};

// The length of input at which units are priced: attention's share grows with length, but a
// selection must not depend on the input.
inline constexpr int64_t priced_tokens = 128;

// The largest power of two up to 64 that divides `ffn` into at least 8 groups; 1 when none does.
// 64 neurons are four AVX-512 registers of floats: narrower groups waste lanes.
int64_t default_group_width(int64_t ffn);

// Every layer at the same share: the default (docs/budget.md has the comparison).
// `group_width` 0 gives an order of heads only; otherwise it must divide the FFN's width.
UnitOrder uniform_order(const ModelShape& shape, int64_t group_width);

// How much each unit matters, per layer and in descending order (the stored order).
struct UnitScores {
  std::vector<std::vector<double>> heads;
  std::vector<std::vector<double>> groups;  // empty: heads only
};

// Best score per MAC first, after one head and one group of every layer.
UnitOrder ranked_order(const ModelShape& shape, int64_t group_width, const UnitScores& scores);

// The first half of the layers fully, then the others: small budgets drop whole layers.
UnitOrder depth_order(const ModelShape& shape, int64_t group_width);

Selection select_units(const UnitOrder& order, const ModelShape& shape, double budget);

// What the least selection costs: a smaller budget runs it all the same.
double least_budget(const UnitOrder& order, const ModelShape& shape);

// An order as text: "h0", "f3", ... Reading throws ErrorCode::bad_model unless every layer has all
// its heads, and all or none of its FFN in equal groups.
std::vector<std::string> unit_names(const UnitOrder& order);
UnitOrder parse_units(const std::vector<std::string>& names, const ModelShape& shape);

}  // namespace headroom
