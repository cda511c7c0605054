// The arithmetic behind a budget: gates, orders, selections and costs of random models.
#include "budget/selection.h"

#include <algorithm>

#include "budget/cost.h"
#include "budget/gates.h"
#include "budget/unit_order.h"
#include "input.h"
#include "target.h"

namespace headroom::fuzz {
namespace {

ModelShape random_shape(Numbers& numbers) {
  ModelShape shape;
  shape.layers = numbers.between(1, 6);
  shape.heads = numbers.between(1, 9);
  shape.width = shape.heads * numbers.between(1, 70);
  shape.ffn = numbers.between(1, 600);
  shape.vocabulary = 5 + numbers.between(0, 1000);
  return shape;
}

GateParameters random_gates(Numbers& numbers, const ModelShape& shape) {
  GateParameters gates{shape.layers, shape.heads, {}, {}};
  const bool shared = numbers.flag();
  for (int64_t i = 0; i < shape.total_heads(); ++i) gates.offset.push_back(numbers.number());
  for (int64_t i = 0; i < (shared ? 1 : shape.total_heads()); ++i) {
    gates.slope.push_back(numbers.number());
  }
  return gates;
}

void check_costs(const ModelShape& shape, const Selection& small, const Selection& large) {
  require(is_subset(small, large), "a smaller budget's units are among a larger one's");
  const Cost less = cost_of(shape, small, 64);
  const Cost more = cost_of(shape, large, 64);
  require(less.model_macs <= more.model_macs, "a smaller budget costs no more");
  require(parameter_count(shape, small) <= parameter_count(shape, large),
          "nor has it more parameters");
}

void check_gates(const ModelShape& shape, const GateParameters& gates, double small, double large) {
  for (const double budget : {small, large}) {
    const HeadOrder order = gates.order(budget);
    check_order(order);
    const Selection selection = select_heads(order, budget);
    require(selection.total() == heads_at(budget, shape.layers, shape.heads),
            "a budget keeps as many heads as it pays for");
    for (const double gate : gates.values(budget)) {
      require(gate >= 0 && gate <= 1, "a gate is between 0 and 1");
    }
  }
  if (gates.shared_slope()) {
    check_costs(shape, select_heads(gates.order(small), small),
                select_heads(gates.order(large), large));
  }
}

void check_units(const ModelShape& shape, Numbers& numbers, double small, double large) {
  const int64_t width = numbers.flag() ? default_group_width(shape.ffn) : 0;
  const UnitOrder order = numbers.flag() ? uniform_order(shape, width) : depth_order(shape, width);
  require(parse_units(unit_names(order), shape) == order, "an order comes back from its names");
  check_costs(shape, select_units(order, shape, small), select_units(order, shape, large));
}

const Target selection_target("selection", [](std::string_view input) {
  Numbers numbers(input);
  const ModelShape shape = random_shape(numbers);
  double small = std::max(1e-9, numbers.fraction());
  double large = std::max(1e-9, numbers.fraction());
  if (small > large) std::swap(small, large);
  check_units(shape, numbers, small, large);
  check_gates(shape, random_gates(numbers, shape), small, large);
});

}  // namespace
}  // namespace headroom::fuzz
