// Test rows that were right: how a record stores them and what they add to the error of a gain.
#include "experiments/record/test_rows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "experiments/claims/rule.h"
#include "support.h"

namespace headroom::experiments {
namespace {
using testing::expect_error;

TEST(TestRows, FourRowsADigit) {
  EXPECT_EQ(pack_rows({true, false, false, false, true, true}), "8c");
  EXPECT_EQ(pack_rows({}), "");
  for (size_t rows = 1; rows < 20; ++rows) {
    std::vector<bool> right(rows);
    for (size_t i = 0; i < rows; ++i) right[i] = i % 3 == 0;
    EXPECT_EQ(unpack_rows(pack_rows(right), static_cast<int64_t>(rows)), right);
  }
}

TEST(TestRows, OfAnotherNumberAreRefused) {
  expect_error(ErrorCode::bad_data, "four of 9 test rows", [] { unpack_rows("8c", 9); });
  expect_error(ErrorCode::bad_data, "hexadecimal", [] { unpack_rows("8x", 6); });
}

Record seed(const std::vector<bool>& ours, const std::vector<bool>& theirs) {
  Record run;
  run.rows = RowCounts{10, 2, static_cast<int64_t>(ours.size())};
  run.arm("ours").points = {{.budget = 0.5, .correct = pack_rows(ours)}};
  run.arm("theirs").points = {{.budget = 1, .correct = pack_rows(theirs)}};
  return run;
}

TEST(TestRows, DifferencesAreMeansOverSeeds) {
  const Runs runs = {seed({true, true, false}, {true, false, true}),
                     seed({true, true, true}, {true, false, true})};
  EXPECT_EQ(paired_by_row(runs, "ours", 0.5, "theirs", 1.0), (std::vector<double>{0, 1, -0.5}));
  EXPECT_TRUE(paired_by_row(runs, "ours", 0.5, "others", 1.0).empty());
}

TEST(TestRows, OneSeedWithoutThemLeavesNothingToTell) {
  Runs runs = {seed({true}, {false}), seed({true}, {false})};
  runs[1].arm("ours").points[0].correct = "";
  EXPECT_TRUE(paired_by_row(runs, "ours", 0.5, "theirs", 1.0).empty());
}

TEST(TestRows, AddToTheErrorOverSeeds) {
  // Deviation 2 / sqrt(3) of four rows: a standard error of 1 / sqrt(3), 100 times that in points.
  const std::vector<double> rows = {1, 1, -1, -1};
  const Effect seeds = {0, 30, 2, "points"};
  const Effect both = with_rows(seeds, rows, 100);
  EXPECT_NEAR(both.error, std::hypot(30, 100 / std::sqrt(3)), 1e-9);
  EXPECT_EQ(both.rows, 4);
  EXPECT_GT(both.degrees, 2);
  EXPECT_LT(both.degrees, 5) << "not more than both have together";
  EXPECT_EQ(with_rows(seeds, {}, 100).error, 30) << "records without rows: as it was";
  EXPECT_EQ(with_rows({0, 0, 0, "points"}, rows, 100).degrees, 0) << "one seed proves nothing";
}

TEST(TestRows, ThatAllAgreeChangeNothing) {
  const Effect effect = with_rows({3, 0.5, 2, "points"}, {0, 0, 0}, 100);
  EXPECT_EQ(effect.error, 0.5);
  EXPECT_EQ(effect.degrees, 2);
}

}  // namespace
}  // namespace headroom::experiments
