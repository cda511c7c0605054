#include "budget/unit_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/random.h"
#include "budget/cost.h"
#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;

const ModelShape small = {.layers = 4, .width = 64, .heads = 4, .ffn = 256, .vocabulary = 100};

struct RandomOrder {
  ModelShape shape;
  UnitOrder order;
  bool starts_everywhere = true;  // one unit of each kind in every layer before any second one
};

UnitScores random_scores(const ModelShape& shape, int64_t groups, Random& random) {
  const auto descending = [&](int64_t count) {
    std::vector<double> scores(static_cast<size_t>(count));
    for (double& score : scores) score = random.uniform();
    std::sort(scores.begin(), scores.end(), std::greater<>());
    return scores;
  };
  UnitScores scores;
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    scores.heads.push_back(descending(shape.heads));
    if (groups > 0) scores.groups.push_back(descending(groups));
  }
  return scores;
}

// A shape of 1-6 layers, 1-8 heads and 1-12 FFN groups (every fourth time heads only), in each of
// the three kinds of order.
std::vector<RandomOrder> random_orders(uint64_t seed) {
  Random random{seed};
  ModelShape shape = small;
  shape.layers = 1 + static_cast<int64_t>(random.below(6));
  shape.heads = 1 + static_cast<int64_t>(random.below(8));
  shape.width = shape.heads * (1 + static_cast<int64_t>(random.below(40)));
  const int64_t width = 1 + static_cast<int64_t>(random.below(64));
  shape.ffn = width * (1 + static_cast<int64_t>(random.below(12)));
  const int64_t group_width = seed % 4 == 0 ? 0 : width;
  const int64_t groups = group_width > 0 ? shape.ffn / group_width : 0;
  return {{shape, uniform_order(shape, group_width), true},
          {shape, ranked_order(shape, group_width, random_scores(shape, groups, random)), true},
          {shape, depth_order(shape, group_width), false}};
}

void for_random_orders(const std::function<void(const RandomOrder&)>& claim) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    for (const RandomOrder& entry : random_orders(seed)) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed);
      claim(entry);
    }
  }
}

const std::vector<double> budgets = {1e-9, 0.05, 0.1,  0.125, 0.2, 0.25, 0.3,
                                     0.4,  0.5,  0.66, 0.75,  0.9, 0.99, 1.0};

// What a budget shares out: everything but the embeddings' sums, pooler and classifier.
double elastic_macs(const ModelShape& shape, const Selection& selection) {
  Selection nothing{shape.heads, {}, {}};
  nothing.kept.resize(static_cast<size_t>(shape.layers));
  nothing.ffn = selection.ffn.empty() ? selection.ffn
                                      : std::vector<int64_t>(static_cast<size_t>(shape.layers), 0);
  return cost_of(shape, selection, priced_tokens).model_macs -
         cost_of(shape, nothing, priced_tokens).model_macs;
}

std::vector<size_t> heads_per_layer(const Selection& selection) {
  std::vector<size_t> counts;
  for (const auto& layer : selection.kept) counts.push_back(layer.size());
  return counts;
}

TEST(UnitOrder, HoldsEveryUnitOnce) {
  for_random_orders([](const RandomOrder& entry) {
    const UnitOrder& order = entry.order;
    for (int32_t layer = 0; layer < entry.shape.layers; ++layer) {
      EXPECT_EQ(std::count(order.units.begin(), order.units.end(), Unit{UnitKind::head, layer}),
                entry.shape.heads);
      EXPECT_EQ(std::count(order.units.begin(), order.units.end(), Unit{UnitKind::ffn, layer}),
                order.groups);
    }
    EXPECT_EQ(static_cast<int64_t>(order.units.size()),
              entry.shape.layers * (entry.shape.heads + order.groups));
  });
}

TEST(UnitOrder, SmallerBudgetsAreSubsetsOfLargerOnes) {
  for_random_orders([](const RandomOrder& entry) {
    for (size_t i = 0; i < budgets.size(); ++i) {
      const Selection less = select_units(entry.order, entry.shape, budgets[i]);
      for (size_t j = i; j < budgets.size(); ++j) {
        EXPECT_TRUE(is_subset(less, select_units(entry.order, entry.shape, budgets[j])));
      }
    }
  });
}

TEST(UnitOrder, ASelectionIsEachLayersFirstHeadsAndWholeGroups) {
  for_random_orders([](const RandomOrder& entry) {
    for (const double budget : budgets) {
      const Selection selection = select_units(entry.order, entry.shape, budget);
      EXPECT_EQ(selection.heads, entry.shape.heads);
      for (const auto& kept : selection.kept) {
        for (size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i], static_cast<int32_t>(i));
      }
      EXPECT_EQ(selection.ffn.empty(), entry.order.groups == 0);
      for (const int64_t neurons : selection.ffn) {
        EXPECT_EQ(neurons % entry.order.group_width, 0);
        EXPECT_LE(neurons, entry.shape.ffn);
      }
    }
  });
}

TEST(UnitOrder, CostsNoMoreThanTheBudgetBeyondTheLeastSelection) {
  for_random_orders([](const RandomOrder& entry) {
    const Selection least = select_units(entry.order, entry.shape, 1e-9);
    const double all = elastic_macs(entry.shape, select_units(entry.order, entry.shape, 1.0));
    for (const double budget : budgets) {
      const Selection selection = select_units(entry.order, entry.shape, budget);
      if (selection == least) continue;
      EXPECT_LE(elastic_macs(entry.shape, selection), budget * all * (1 + 1e-6));
    }
  });
}

TEST(UnitOrder, LeavesNoRoomForTheNextUnit) {
  for_random_orders([](const RandomOrder& entry) {
    const double all = elastic_macs(entry.shape, select_units(entry.order, entry.shape, 1.0));
    for (const double budget : budgets) {
      const Selection selection = select_units(entry.order, entry.shape, budget);
      size_t alive = static_cast<size_t>(selection.total());
      for (const int64_t neurons : selection.ffn) {
        alive += static_cast<size_t>(neurons / entry.order.group_width);
      }
      if (alive == entry.order.units.size()) continue;
      const Unit next = entry.order.units[alive];
      Selection more = selection;
      auto& heads = more.kept[static_cast<size_t>(next.layer)];
      if (next.kind == UnitKind::head) heads.push_back(static_cast<int32_t>(heads.size()));
      if (next.kind == UnitKind::ffn) {
        more.ffn[static_cast<size_t>(next.layer)] += entry.order.group_width;
      }
      EXPECT_GT(elastic_macs(entry.shape, more), budget * all);
    }
  });
}

TEST(UnitOrder, CostAndParametersNeverFallWhenTheBudgetRises) {
  for_random_orders([](const RandomOrder& entry) {
    double macs = 0;
    int64_t parameters = 0;
    for (const double budget : budgets) {
      const Selection selection = select_units(entry.order, entry.shape, budget);
      EXPECT_GE(cost_of(entry.shape, selection, 37).model_macs, macs);
      EXPECT_GE(parameter_count(entry.shape, selection), parameters);
      macs = cost_of(entry.shape, selection, 37).model_macs;
      parameters = parameter_count(entry.shape, selection);
    }
  });
}

TEST(UnitOrder, BudgetOneKeepsEverything) {
  for_random_orders([](const RandomOrder& entry) {
    const Selection all = select_units(entry.order, entry.shape, 1.0);
    EXPECT_EQ(all.active_fraction(), 1.0);
    EXPECT_EQ(all.active_ffn(entry.shape.ffn), 1.0);
    const Selection dense = all_heads(entry.shape.layers, entry.shape.heads);
    EXPECT_EQ(cost_of(entry.shape, all, 50).model_macs, cost_of(entry.shape, dense, 50).model_macs);
    EXPECT_EQ(parameter_count(entry.shape, all), parameter_count(entry.shape, dense));
  });
}

TEST(UnitOrder, UniformAndRankedKeepOneHeadAndOneGroupInEveryLayer) {
  for_random_orders([](const RandomOrder& entry) {
    if (!entry.starts_everywhere) return;
    const Selection least = select_units(entry.order, entry.shape, 1e-9);
    const auto layers = static_cast<size_t>(entry.shape.layers);
    EXPECT_EQ(heads_per_layer(least), std::vector<size_t>(layers, 1));
    if (entry.order.groups == 0) return;
    EXPECT_EQ(least.ffn, std::vector<int64_t>(layers, entry.order.group_width));
  });
}

TEST(UnitOrder, HeadsOnlyLeavesTheFfnWhole) {
  for (const UnitOrder& order : {uniform_order(small, 0), depth_order(small, 0)}) {
    EXPECT_EQ(order.groups, 0);
    const Selection half = select_units(order, small, 0.5);
    EXPECT_TRUE(half.ffn.empty());
    EXPECT_EQ(half.active_ffn(small.ffn), 1.0);
    EXPECT_EQ(half.total(), 8);
  }
}

TEST(UniformOrder, HalfIsExactlyHalfOfEveryLayer) {
  for (const int64_t group_width : {1, 2, 16, 32, 64, 128}) {
    const Selection half = select_units(uniform_order(small, group_width), small, 0.5);
    EXPECT_EQ(heads_per_layer(half), (std::vector<size_t>{2, 2, 2, 2}));
    EXPECT_EQ(half.ffn, (std::vector<int64_t>{128, 128, 128, 128})) << group_width;
  }
}

TEST(UniformOrder, LayersNeverDifferByMoreThanOneUnit) {
  for (double budget = 0.01; budget <= 1.0; budget += 0.01) {
    const Selection selection = select_units(uniform_order(small, 32), small, budget);
    const auto heads = heads_per_layer(selection);
    const auto [fewest, most] = std::minmax_element(heads.begin(), heads.end());
    EXPECT_LE(*most - *fewest, 1U) << budget;
    const auto [narrowest, widest] =
        std::minmax_element(selection.ffn.begin(), selection.ffn.end());
    EXPECT_LE(*widest - *narrowest, 32) << budget;
  }
}

TEST(UniformOrder, ForgivesTheRoundingOfABudget) {
  const UnitOrder order = uniform_order(small, 32);
  EXPECT_EQ(select_units(order, small, 0.1 + 0.2 + 0.2), select_units(order, small, 0.5));
  EXPECT_EQ(select_units(order, small, 0.5 - 1e-15), select_units(order, small, 0.5));
}

// A head of `even` costs 4 * 16 * 4 + 2 * 128 * 4 = 1280 MACs a token, a group of 40 as much.
const ModelShape even = {.layers = 2, .width = 16, .heads = 4, .ffn = 80, .vocabulary = 100};

TEST(RankedOrder, TheBestUnitsPerMacComeFirst) {
  const UnitScores scores = {{{9, 8, 1, 0.5}, {9, 7, 6, 2}}, {{9, 3}, {9, 5}}};
  const std::vector<std::string> expected = {"h0", "f0", "h1", "f1",  // one of each
                                             "h0", "h1", "h1", "f1", "f0", "h1", "h0", "h0"};
  EXPECT_EQ(unit_names(ranked_order(even, 40, scores)), expected);
}

TEST(RankedOrder, ACheapUnitBeatsADearOneOfTheSameScore) {
  const UnitScores scores = {{{9, 4, 4, 4}, {9, 4, 4, 4}}, {{9, 4, 4, 4}, {9, 4, 4, 4}}};
  const UnitOrder order = ranked_order(even, 20, scores);  // a group costs half a head
  for (size_t i = 4; i < 10; ++i) EXPECT_EQ(order.units[i].kind, UnitKind::ffn) << i;
  for (size_t i = 10; i < 16; ++i) EXPECT_EQ(order.units[i].kind, UnitKind::head) << i;
}

TEST(RankedOrder, AWorthlessLayerKeepsOneHeadAndOneGroup) {
  const UnitScores scores = {{{9, 9, 9, 9}, {0, 0, 0, 0}}, {{9, 9}, {0, 0}}};
  const Selection half = select_units(ranked_order(even, 40, scores), even, 8.0 / 12);
  EXPECT_EQ(heads_per_layer(half), (std::vector<size_t>{4, 1}));
  EXPECT_EQ(half.ffn, (std::vector<int64_t>{80, 40}));
}

TEST(DepthOrder, UpToHalfTheCostOnlyTheFirstHalfOfTheLayersLives) {
  const UnitOrder order = depth_order(small, 32);
  for (double budget = 0.01; budget <= 0.5; budget += 0.01) {
    const Selection selection = select_units(order, small, budget);
    EXPECT_TRUE(selection.kept[2].empty() && selection.kept[3].empty()) << budget;
    EXPECT_EQ(selection.ffn[2] + selection.ffn[3], 0) << budget;
    EXPECT_FALSE(selection.kept[0].empty() || selection.kept[1].empty()) << budget;
  }
  const Selection half = select_units(order, small, 0.5);
  EXPECT_EQ(heads_per_layer(half), (std::vector<size_t>{4, 4, 0, 0}));
  EXPECT_EQ(half.ffn, (std::vector<int64_t>{256, 256, 0, 0}));
}

TEST(DepthOrder, OfAnOddNumberOfLayersTheMiddleOneComesEarly) {
  ModelShape three = small;
  three.layers = 3;
  const Selection selection = select_units(depth_order(three, 32), three, 2.0 / 3);
  EXPECT_EQ(heads_per_layer(selection), (std::vector<size_t>{4, 4, 0}));
}

TEST(UnitOrder, ALayerWithoutUnitsLeavesNoParameters) {
  ModelShape two = small;
  two.layers = 2;
  Selection first = all_heads(2, two.heads);
  first.kept[1].clear();
  first.ffn = {two.ffn, 0};
  ModelShape one = two;
  one.layers = 1;
  EXPECT_EQ(parameter_count(two, first), parameter_count(one, all_heads(1, one.heads)));
  EXPECT_EQ(cost_of(two, first, 30).model_macs,
            cost_of(one, all_heads(1, one.heads), 30).model_macs);
}

TEST(UnitOrder, ARemovedNeuronTakesItsRowItsColumnAndItsBiasAlong) {
  Selection fewer = all_heads(small.layers, small.heads);
  fewer.ffn = {256, 256, 255, 256};
  const Selection all = all_heads(small.layers, small.heads);
  EXPECT_EQ(parameter_count(small, all) - parameter_count(small, fewer), 2 * 64 + 1);
  EXPECT_DOUBLE_EQ(cost_of(small, all, 10).model_macs - cost_of(small, fewer, 10).model_macs,
                   2 * 64 * 10);
  EXPECT_EQ(cost_of(small, all, 10).attention_macs, cost_of(small, fewer, 10).attention_macs);
}

TEST(UnitOrder, BudgetsThatDoNotExistAreUsageErrors) {
  const UnitOrder order = uniform_order(small, 32);
  for (const double bad : {0.0, -0.5, 1.5, std::nan(""), HUGE_VAL}) {
    expect_error(ErrorCode::usage, "is not a budget", [&] { select_units(order, small, bad); });
  }
}

TEST(UnitOrder, AGroupWidthThatDoesNotDivideTheFfnIsAUsageError) {
  for (const int64_t bad : {3, 257, 512, -1}) {
    const std::string complaint = "groups of " + std::to_string(bad);
    expect_error(ErrorCode::usage, complaint, [&] { uniform_order(small, bad); });
    expect_error(ErrorCode::usage, complaint, [&] { depth_order(small, bad); });
    expect_error(ErrorCode::usage, complaint, [&] { ranked_order(small, bad, {}); });
  }
}

TEST(DefaultGroupWidth, IsTheLargestPowerOfTwoWithEightGroups) {
  EXPECT_EQ(default_group_width(3072), 64);
  EXPECT_EQ(default_group_width(1024), 64);
  EXPECT_EQ(default_group_width(512), 64);
  EXPECT_EQ(default_group_width(256), 32);
  EXPECT_EQ(default_group_width(100), 4);
  EXPECT_EQ(default_group_width(48), 4) << "8 would leave six groups";
  EXPECT_EQ(default_group_width(101), 1);
  EXPECT_EQ(default_group_width(4), 1);
  EXPECT_EQ(default_group_width(1), 1);
}

TEST(UnitNames, ComeBackAsTheyWent) {
  for_random_orders([](const RandomOrder& entry) {
    EXPECT_EQ(parse_units(unit_names(entry.order), entry.shape), entry.order);
  });
}

TEST(UnitNames, SayKindAndLayer) {
  const ModelShape shape = {.layers = 2, .width = 4, .heads = 1, .ffn = 6};
  const std::vector<std::string> expected = {"h0", "f0", "h1", "f1", "f0", "f1"};
  EXPECT_EQ(unit_names(uniform_order(shape, 3)), expected);
}

TEST(ParseUnits, ReadsOrdersOfAnyShape) {
  const ModelShape shape = {.layers = 2, .width = 4, .heads = 1, .ffn = 6};
  const UnitOrder order = parse_units({"f1", "f1", "h1", "f0", "h0", "f0"}, shape);
  EXPECT_EQ(order.groups, 2);
  EXPECT_EQ(order.group_width, 3);
  EXPECT_EQ(order.units[0], (Unit{UnitKind::ffn, 1}));
  const UnitOrder heads = parse_units({"h1", "h0"}, shape);
  EXPECT_EQ(heads.groups, 0);
  EXPECT_EQ(heads.group_width, 0);
}

TEST(ParseUnits, RefusesDamagedOrders) {
  const ModelShape shape = {.layers = 2, .width = 4, .heads = 1, .ffn = 6};
  const auto expect_refused = [&](std::string_view why, const std::vector<std::string>& names) {
    expect_error(ErrorCode::bad_model, why, [&] { parse_units(names, shape); });
  };
  for (const char* name : {"x0", "", "h", "0", "h0x", "h 0", " h0", "h0.5", "H0", "h-1", "h-0",
                           "h+0", "h00", "h2", "f2", "h99999999999", "h4294967296"}) {
    expect_refused("is no unit of a model with 2 layers", {"h0", name, "h1"});
  }
  expect_refused("h0 appears 0 times, expected 1", {});
  expect_refused("h1 appears 0 times, expected 1", {"h0"});
  expect_refused("h1 appears 2 times, expected 1", {"h0", "h1", "h1"});
  expect_refused("f1 appears 0 times, expected 2", {"h0", "h1", "f0", "f0"});
  expect_refused("f1 appears 1 times, expected 0", {"h0", "h1", "f1"});
  expect_refused("f0 appears 4 times, which does not divide an FFN of 6",
                 {"h0", "h1", "f0", "f0", "f0", "f0", "f1", "f1", "f1", "f1"});
}

TEST(UnitOrder, TheLeastBudgetRunsTheLeastSelectionAndIsWhatThatCosts) {
  const UnitOrder order = uniform_order(small, 64);
  const double least = least_budget(order, small);
  EXPECT_GT(least, 0);
  EXPECT_LE(least, 0.25) << "one head of four, one group of four";
  EXPECT_EQ(select_units(order, small, least), select_units(order, small, 1e-6));
  EXPECT_EQ(select_units(order, small, 1e-6).total(), small.layers);
}

}  // namespace
}  // namespace headroom
