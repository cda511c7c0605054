#include "report/plot/alive_map.h"

#include <gtest/gtest.h>

#include "report/xml.h"

namespace headroom::report {
namespace {
using testing::shows;
using testing::with_class;

// Units that all cost the same: a head of width 16 over 128 priced tokens takes
// 4 * 32 * 16 + 2 * 128 * 16 = 6144 MACs a token, a group of 96 neurons 2 * 32 * 96 = 6144.
ModelShape equal_prices() {
  ModelShape shape;
  shape.layers = 2;
  shape.width = 32;
  shape.heads = 2;
  shape.ffn = 192;
  return shape;
}

std::string map_of(const std::vector<std::string>& order) {
  const ModelShape shape = equal_prices();
  return alive_map(selections_of(parse_units(order, shape), shape), shape, "a model");
}

const std::vector<std::string> one_of_each_then_layer_two = {"h0", "f0", "h1", "f1",
                                                             "h1", "f1", "h0", "f0"};

TEST(AliveBudgets, AUnitIsOnFromTheShareThatItsPrefixCosts) {
  const ModelShape shape = equal_prices();
  const AliveBudgets alive = alive_budgets(parse_units(one_of_each_then_layer_two, shape), shape);
  const std::vector<std::vector<double>> heads = {{0, 0.88}, {0, 0.63}};  // 7/8 and 5/8, rounded up
  const std::vector<std::vector<double>> groups = {{0, 1}, {0, 0.75}};
  EXPECT_EQ(alive.heads, heads);
  EXPECT_EQ(alive.groups, groups);
}

TEST(AliveMap, HasACellPerHeadAndGroup) {
  const std::string svg = map_of(one_of_each_then_layer_two);
  EXPECT_EQ(with_class(svg, "cell").size(), 8U);
  EXPECT_TRUE(shows(svg, "attention heads"));
  EXPECT_TRUE(shows(svg, "FFN, in groups of 96 neurons"));
}

TEST(AliveMap, AnOrderOfHeadsOnlyHasOnePanel) {
  const std::string svg = map_of({"h0", "h1", "h1", "h0"});
  EXPECT_EQ(with_class(svg, "cell").size(), 4U);
}

}  // namespace
}  // namespace headroom::report
