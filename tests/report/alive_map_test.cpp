#include "report/plot/alive_map.h"

#include <gtest/gtest.h>

#include "report/xml.h"

namespace headroom {
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

Json run_with_order(const std::vector<std::string>& order) {
  Json run = {{"task", "agnews"}, {"seed", 7}};
  run["shape"] = {{"layers", 2}, {"width", 32},      {"heads", 2},     {"ffn", 192},
                  {"labels", 4}, {"max_tokens", 64}, {"vocabulary", 9}};
  run["arms"]["nested"]["order"] = order;
  return run;
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
  const std::string svg = alive_map(run_with_order(one_of_each_then_layer_two), "nested");
  EXPECT_EQ(with_class(svg, "cell").size(), 8U);
  EXPECT_TRUE(shows(svg, "attention heads"));
  EXPECT_TRUE(shows(svg, "FFN, in groups of 96 neurons"));
}

TEST(AliveMap, AnOrderOfHeadsOnlyHasOnePanel) {
  const std::string svg = alive_map(run_with_order({"h0", "h1", "h1", "h0"}), "nested");
  EXPECT_EQ(with_class(svg, "cell").size(), 4U);
}

TEST(AliveMap, WithoutAnOrderThereIsNoMap) {
  Json run = run_with_order(one_of_each_then_layer_two);
  EXPECT_EQ(alive_map(run, "dense"), "");
  run["arms"]["nested"].erase("order");
  EXPECT_EQ(alive_map(run, "nested"), "");
}

}  // namespace
}  // namespace headroom
