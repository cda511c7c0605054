// How a budget is spread over layers: counts, the best of them, and the search for an order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "budget/allocation/best_counts.h"
#include "budget/allocation/search_order.h"
#include "budget/allocation/unit_counts.h"
#include "support.h"

namespace headroom {
namespace {

const ModelShape small = {.layers = 3, .width = 64, .heads = 4, .ffn = 256, .vocabulary = 100};
constexpr int64_t small_group = 32;  // 8 groups a layer
const std::vector<double> ladder = {0.25, 0.5, 0.75, 1.0};

double sum_at(const AddedLoss& added, const UnitCounts& counts) {
  double sum = 0;
  for (size_t layer = 0; layer < counts.heads.size(); ++layer) {
    sum += added.heads[layer][static_cast<size_t>(counts.heads[layer]) - 1];
  }
  for (size_t layer = 0; layer < counts.groups.size(); ++layer) {
    sum += added.groups[layer][static_cast<size_t>(counts.groups[layer]) - 1];
  }
  return sum;
}

double cost_of_counts(const UnitCounts& counts, const UnitMacs& macs) {
  double cost = 0;
  for (const int64_t count : counts.heads) cost += static_cast<double>(count) * macs.head;
  for (const int64_t count : counts.groups) cost += static_cast<double>(count) * macs.group;
  return cost;
}

bool holds(const UnitCounts& large, const UnitCounts& small_one) {
  const auto at_least = [](const auto& a, const auto& b) {
    return std::equal(a.begin(), a.end(), b.begin(), std::greater_equal<>());
  };
  return at_least(large.heads, small_one.heads) && at_least(large.groups, small_one.groups);
}

// Two layers of three heads and two groups.
const AddedLoss literal = {{{5, 1, 0}, {2, 1.5, 0}}, {{4, 0}, {0.5, 0}}};
const UnitMacs literal_macs = {2, 3};

TEST(BestCounts, AreTheKnownOptimumOfALiteralTable) {
  const auto at = [](double room) { return best_counts(literal, literal_macs, room); };
  EXPECT_EQ(at(24), (UnitCounts{{3, 3}, {2, 2}})) << "everything fits";
  EXPECT_EQ(at(23), (UnitCounts{{3, 3}, {2, 1}})) << "a group of layer 1 is worth 0.5";
  EXPECT_EQ(at(20), (UnitCounts{{2, 3}, {2, 1}})) << "a head of layer 0 1";
  EXPECT_EQ(at(18), (UnitCounts{{3, 1}, {2, 1}})) << "two of layer 1 2, one of each layer 2.5";
  EXPECT_EQ(at(10), (UnitCounts{{1, 1}, {1, 1}}));
}

TEST(BestCounts, KeepAUnitOfEachKindWhateverItCosts) {
  EXPECT_EQ(best_counts(literal, literal_macs, 1), (UnitCounts{{1, 1}, {1, 1}}));
}

TEST(BestCounts, OfHeadsAloneHaveNoGroups) {
  EXPECT_EQ(best_counts({literal.heads, {}}, {2, 0}, 8), (UnitCounts{{3, 1}, {}}));
}

TEST(BestCounts, OfEqualLossesUseTheRoom) {
  const AddedLoss nothing_lost = {{{0, 0, 0}, {0, 0, 0}}, {{0, 0}, {0, 0}}};
  for (const double room : {10.0, 12.0, 15.0, 17.0, 24.0}) {
    const UnitCounts found = best_counts(nothing_lost, literal_macs, room);
    EXPECT_GT(cost_of_counts(found, literal_macs), room - 2) << room;
  }
}

AddedLoss random_losses(Random& random) {
  AddedLoss added;
  for (int layer = 0; layer < 3; ++layer) {
    for (auto* kind : {&added.heads, &added.groups}) {
      std::vector<double> losses(1 + random.below(4));
      for (double& loss : losses) loss = random.uniform();
      losses.back() = 0;
      kind->push_back(losses);
    }
  }
  return added;
}

// Every way to keep a unit or more of each kind in three layers.
double best_of_all(const AddedLoss& added, const UnitMacs& macs, double room) {
  double best = std::numeric_limits<double>::infinity();
  std::vector<size_t> sizes;
  for (const auto* kind : {&added.heads, &added.groups}) {
    for (const auto& losses : *kind) sizes.push_back(losses.size());
  }
  std::vector<int64_t> counts(sizes.size(), 1);
  for (bool more = true; more;) {
    const UnitCounts tried = {{counts.begin(), counts.begin() + 3},
                              {counts.begin() + 3, counts.end()}};
    if (cost_of_counts(tried, macs) <= room) best = std::min(best, sum_at(added, tried));
    more = false;
    for (size_t i = 0; i < counts.size() && !more; ++i) {
      more = counts[i] < static_cast<int64_t>(sizes[i]);
      counts[i] = more ? counts[i] + 1 : 1;
    }
  }
  return best;
}

TEST(BestCounts, AreAsGoodAsTheBestOfAllWays) {
  const UnitMacs macs = {5, 2};
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random{seed};
    const AddedLoss added = random_losses(random);
    for (const double room : {21.0, 25.0, 30.0, 40.0, 60.0, 84.0}) {
      const UnitCounts found = best_counts(added, macs, room);
      EXPECT_LE(cost_of_counts(found, macs), room);
      EXPECT_NEAR(sum_at(added, found), best_of_all(added, macs, room), 1e-12);
    }
  }
}

TEST(OrderThrough, ReachesEachRungBeforeAnyUnitOfTheNext) {
  const std::vector<UnitCounts> rungs = {{{1, 2}, {2, 1}}, {{1, 3}, {2, 2}}, {{4, 4}, {2, 2}}};
  const UnitOrder order = order_through(rungs, 16);
  EXPECT_EQ(unit_names(order), (std::vector<std::string>{"h0", "f0", "h1", "f1", "f0", "h1", "h1",
                                                         "f1", "h0", "h0", "h1", "h0"}));
  EXPECT_EQ(order.groups, 2);
  EXPECT_EQ(order.group_width, 16);
}

TEST(OrderThrough, OfOneRungIsAnOrderOfAllUnits) {
  const UnitOrder uniform = uniform_order(small, small_group);
  const UnitOrder order = order_through({full_counts(uniform)}, small_group);
  EXPECT_EQ(parse_units(unit_names(order), small), order);
}

// A model in which a unit of a layer and kind is worth the less the more there are of them, and
// layers differ: what is lost is known, and the sum of it over layers and kinds.
double known_loss(const Selection& selection) {
  const std::vector<double> head_worth = {0.1, 4, 0.3};
  const std::vector<double> ffn_worth = {2, 0.1, 0.5};
  double loss = 0;
  for (size_t layer = 0; layer < 3; ++layer) {
    loss += head_worth[layer] / static_cast<double>(selection.kept[layer].size());
    if (selection.ffn.empty()) continue;
    loss += ffn_worth[layer] * small_group / static_cast<double>(selection.ffn[layer]);
  }
  return loss;
}

SearchedOrder search(const SelectionLoss& loss, uint64_t seed = 1,
                     int64_t group_width = small_group) {
  Random random{seed};
  return search_order(small, uniform_order(small, group_width), ladder, loss, random);
}

TEST(SearchOrder, LosesLessThanUniformWhereLayersDiffer) {
  const SearchedOrder found = search(known_loss);
  ASSERT_EQ(found.budgets.size(), 3U) << "at 1 there is nothing to choose";
  for (const SearchedBudget& at : found.budgets) {
    SCOPED_TRACE(at.budget);
    EXPECT_LT(at.loss, at.uniform_loss);
    EXPECT_EQ(at.loss, known_loss(select_units(found.order, small, at.budget)));
    EXPECT_EQ(at.uniform_loss,
              known_loss(select_units(uniform_order(small, small_group), small, at.budget)));
  }
}

TEST(SearchOrder, KeepsTheUnitsThatAreWorthMost) {
  const UnitCounts half = counts_at(search(known_loss).order, small, 0.5);
  EXPECT_GT(half.heads[1], half.heads[0]);
  EXPECT_GT(half.groups[0], half.groups[1]);
}

// Whatever is asked about costs no more than a budget, and what is found is nested.
TEST(SearchOrder, GivesNestedSelectionsWithinTheMacsOfABudget) {
  const UnitOrder order = search(known_loss).order;
  EXPECT_EQ(parse_units(unit_names(order), small), order) << "every unit once";
  UnitCounts before = least_counts(order);
  for (const double budget : {0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9, 1.0}) {
    SCOPED_TRACE(budget);
    const UnitCounts counts = counts_at(order, small, budget);
    EXPECT_LE(macs_of(counts, small, small_group), room_at(order, small, budget));
    EXPECT_TRUE(holds(counts, before));
    before = counts;
  }
  EXPECT_EQ(before, full_counts(order));
}

TEST(SearchOrder, NeverLosesMoreThanUniformWhateverTheLoss) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const auto rough = [&](const Selection& selection) {
      uint64_t key = seed;
      for (size_t layer = 0; layer < 3; ++layer) {
        key = mix_key(
            {key, selection.kept[layer].size(), static_cast<uint64_t>(selection.ffn[layer])});
      }
      return Random{key}.uniform();
    };
    for (const SearchedBudget& at : search(rough, seed).budgets) {
      EXPECT_LE(at.loss, at.uniform_loss);
    }
  }
}

TEST(SearchOrder, OfALossThatNothingChangesIsUniform) {
  const SearchedOrder found = search([](const Selection&) { return 1.0; });
  EXPECT_EQ(found.order, uniform_order(small, small_group));
}

TEST(SearchOrder, TakesAStartThatIsBetter) {
  // Only all heads of layer 2 in the first half would do, which few others begin with.
  std::vector<std::string> names = {"h0", "f0", "h1", "f1", "h2", "f2", "h2", "h2", "h2"};
  for (const UnitOrder uniform = uniform_order(small, small_group);
       const std::string& name : unit_names(uniform)) {
    if (std::count(names.begin(), names.end(), name) < (name[0] == 'h' ? 4 : 8)) {
      names.push_back(name);
    }
  }
  const UnitOrder start = parse_units(names, small);
  const auto loss = [](const Selection& selection) {
    return selection.kept[2].size() == 4 && selection.kept[0].size() < 4 ? 0.0 : 1.0;
  };
  Random random{1};
  const SearchedOrder found = search_order(small, start, ladder, loss, random);
  EXPECT_EQ(found.budgets[1].loss, 0);
  EXPECT_EQ(found.budgets[1].uniform_loss, 1);
}

TEST(SearchOrder, IsAFunctionOfTheSeed) {
  EXPECT_EQ(search(known_loss, 5).order, search(known_loss, 5).order);
}

TEST(SearchOrder, AsksNoSelectionTwiceAndNoMoreThanItSays) {
  std::set<std::pair<std::vector<std::vector<int32_t>>, std::vector<int64_t>>> asked;
  int64_t count = 0;
  const SearchedOrder found = search([&](const Selection& selection) {
    ++count;
    EXPECT_TRUE(asked.insert({selection.kept, selection.ffn}).second);
    return known_loss(selection);
  });
  EXPECT_EQ(found.evaluations, count);
  EXPECT_GT(count, 50);
  EXPECT_LE(count, most_evaluations(small, uniform_order(small, small_group), ladder));
}

TEST(SearchOrder, OfHeadsAloneLeavesFfnsWhole) {
  const SearchedOrder found = search(known_loss, 1, 0);
  EXPECT_EQ(found.order.groups, 0);
  EXPECT_GE(counts_at(found.order, small, 0.5).heads[1], 3);
}

TEST(SearchOrder, WhereNoBudgetLeavesAChoiceIsUniform) {
  Random random{1};
  const SearchedOrder found =
      search_order(small, uniform_order(small, small_group), {0.05, 1.0}, known_loss, random);
  EXPECT_EQ(found.order, uniform_order(small, small_group));
  EXPECT_TRUE(found.budgets.empty());
}

}  // namespace
}  // namespace headroom
