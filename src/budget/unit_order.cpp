#include "budget/unit_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "budget/allocation/unit_counts.h"

namespace headroom {
namespace {

UnitOrder empty_order(const ModelShape& shape, int64_t group_width) {
  if (group_width < 0 || (group_width > 0 && shape.ffn % group_width != 0)) {
    throw Error(ErrorCode::usage, "order units",
                fmt::format("an FFN of {} neurons cannot be cut into groups of {}", shape.ffn,
                            group_width));
  }
  return {
      shape.layers, shape.heads, group_width > 0 ? shape.ffn / group_width : 0, group_width, {}};
}

struct RankedUnit {
  Unit unit;
  double key;  // smaller comes alive earlier
};

// All units with key(kind, layer, index), sorted; ties keep layer, then head-before-group order.
template <typename Key>
UnitOrder order_by_key(UnitOrder order, const Key& key) {
  std::vector<RankedUnit> ranked;
  for (int32_t layer = 0; layer < order.layers; ++layer) {
    for (const auto& [kind, count] :
         {std::pair(UnitKind::head, order.heads), std::pair(UnitKind::ffn, order.groups)}) {
      for (int64_t i = 0; i < count; ++i) ranked.push_back({{kind, layer}, key(kind, layer, i)});
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const RankedUnit& a, const RankedUnit& b) { return a.key < b.key; });
  for (const RankedUnit& entry : ranked) order.units.push_back(entry.unit);
  return order;
}

// The share of its kind that is alive once unit `index` is; the first one comes before all shares.
double level(int64_t index, int64_t count) {
  return index == 0 ? 0.0 : static_cast<double>(index + 1) / static_cast<double>(count);
}

[[noreturn]] void fail(const std::string& why) {
  throw Error(ErrorCode::bad_model, "read order of units", why);
}

std::string unit_name(Unit unit) {
  return fmt::format("{}{}", unit.kind == UnitKind::head ? 'h' : 'f', unit.layer);
}

Unit parse_unit(std::string_view name, int64_t layers) {
  Unit unit;
  const char* end = name.data() + name.size();
  if (name.size() > 1 && (name[0] == 'h' || name[0] == 'f')) {
    unit.kind = name[0] == 'h' ? UnitKind::head : UnitKind::ffn;
    const auto [rest, problem] = std::from_chars(name.data() + 1, end, unit.layer);
    // from_chars takes "-0" and "00" for 0; an order has one spelling.
    if (problem == std::errc() && rest == end && unit.layer >= 0 && unit.layer < layers &&
        unit_name(unit) == name) {
      return unit;
    }
  }
  fail(fmt::format("\"{}\" is no unit of a model with {} layers; expected h0 ... or f0 ...", name,
                   layers));
}

}  // namespace

int64_t default_group_width(int64_t ffn) {
  for (int64_t width = 64; width > 1; width /= 2) {
    if (ffn % width == 0 && ffn / width >= 8) return width;
  }
  return 1;
}

UnitOrder uniform_order(const ModelShape& shape, int64_t group_width) {
  const UnitOrder order = empty_order(shape, group_width);
  return order_by_key(order, [&](UnitKind kind, int32_t /*layer*/, int64_t index) {
    return level(index, kind == UnitKind::head ? order.heads : order.groups);
  });
}

UnitOrder ranked_order(const ModelShape& shape, int64_t group_width, const UnitScores& scores) {
  const UnitOrder order = empty_order(shape, group_width);
  const double first = -1.0 - std::numeric_limits<double>::max() / 2;
  return order_by_key(order, [&](UnitKind kind, int32_t layer, int64_t index) {
    if (index == 0) return first;
    const auto& of_kind = kind == UnitKind::head ? scores.heads : scores.groups;
    return -of_kind.at(static_cast<size_t>(layer)).at(static_cast<size_t>(index)) /
           unit_macs(kind, shape, group_width);
  });
}

UnitOrder depth_order(const ModelShape& shape, int64_t group_width) {
  const UnitOrder order = empty_order(shape, group_width);
  const int64_t early = (order.layers + 1) / 2;
  return order_by_key(order, [&](UnitKind kind, int32_t layer, int64_t index) {
    return level(index, kind == UnitKind::head ? order.heads : order.groups) +
           (layer < early ? 0.0 : 2.0);
  });
}

Selection select_units(const UnitOrder& order, const ModelShape& shape, double budget) {
  return selection_of(counts_at(order, shape, budget), order.heads, order.group_width);
}

double least_budget(const UnitOrder& order, const ModelShape& shape) {
  const UnitCounts least = counts_at(order, shape, std::numeric_limits<double>::min());
  return macs_of(least, shape, order.group_width) /
         macs_of(full_counts(order), shape, order.group_width);
}

std::vector<std::string> unit_names(const UnitOrder& order) {
  std::vector<std::string> names;
  for (const Unit unit : order.units) names.push_back(unit_name(unit));
  return names;
}

UnitOrder parse_units(const std::vector<std::string>& names, const ModelShape& shape) {
  const std::vector<int64_t> none(static_cast<size_t>(shape.layers));
  UnitCounts counts{none, none};
  UnitOrder order{shape.layers, shape.heads, 0, 0, {}};
  for (const std::string& name : names) {
    const Unit unit = parse_unit(name, shape.layers);
    order.units.push_back(unit);
    ++counts.of(unit.kind)[static_cast<size_t>(unit.layer)];
  }
  order.groups = counts.groups.at(0);
  if (order.groups > 0) {
    if (shape.ffn % order.groups != 0) {
      fail(fmt::format("f0 appears {} times, which does not divide an FFN of {} neurons",
                       order.groups, shape.ffn));
    }
    order.group_width = shape.ffn / order.groups;
  }
  for (int32_t layer = 0; layer < shape.layers; ++layer) {
    for (const auto& [kind, expected] :
         {std::pair(UnitKind::head, order.heads), std::pair(UnitKind::ffn, order.groups)}) {
      const int64_t found = counts.of(kind)[static_cast<size_t>(layer)];
      if (found != expected) {
        fail(fmt::format("{} appears {} times, expected {}", unit_name({kind, layer}), found,
                         expected));
      }
    }
  }
  return order;
}

}  // namespace headroom
