#include "budget/order.h"

#include <gtest/gtest.h>

#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;

TEST(HeadOrder, BestOfEachLayerComesFirstThenTheGlobalRanking) {
  // Layer 1 is worse than layer 0 throughout, yet its best head is second.
  const HeadOrder order = order_by_score({0.9, 0.8, 0.1, 0.2}, 2, 2);
  const std::vector<HeadUnit> expected = {{0, 0}, {1, 1}, {0, 1}, {1, 0}};
  EXPECT_EQ(order.units, expected);
}

TEST(HeadOrder, TiesGoToTheEarlierHead) {
  const HeadOrder order = order_by_score({0.5, 0.5, 0.5, 0.5}, 2, 2);
  const std::vector<HeadUnit> expected = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
  EXPECT_EQ(order.units, expected);
}

TEST(HeadOrder, RandomOrderIsLegalAndRepeatable) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const HeadOrder order = random_order(3, 5, seed);
    check_order(order);
    EXPECT_EQ(order, random_order(3, 5, seed));
  }
  EXPECT_NE(random_order(3, 5, 1), random_order(3, 5, 2));
}

TEST(HeadOrder, DamagedOrdersAreRefused) {
  const HeadOrder good = order_by_score({1, 2, 3, 4}, 2, 2);
  const auto with = [&](auto change) {
    HeadOrder order = good;
    change(order);
    return order;
  };
  expect_error(ErrorCode::bad_model, "3 entries for 4 heads",
               [&] { check_order(with([](HeadOrder& o) { o.units.pop_back(); })); });
  expect_error(ErrorCode::bad_model, "appears twice",
               [&] { check_order(with([](HeadOrder& o) { o.units[3] = o.units[0]; })); });
  expect_error(ErrorCode::bad_model, "does not have",
               [&] { check_order(with([](HeadOrder& o) { o.units[1].head = 2; })); });
  expect_error(ErrorCode::bad_model, "one head of each layer",
               [&] { check_order(with([](HeadOrder& o) { std::swap(o.units[1], o.units[2]); })); });
}

}  // namespace
}  // namespace headroom
