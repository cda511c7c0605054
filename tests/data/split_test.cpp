#include "data/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;
using Rows = std::vector<int32_t>;

// 60 rows of class 0, 30 of class 1, 10 of class 2, interleaved.
Rows uneven_labels() {
  Rows labels;
  for (int i = 0; i < 100; ++i) labels.push_back(i % 10 < 6 ? 0 : (i % 10 < 9 ? 1 : 2));
  return labels;
}

std::vector<int64_t> class_counts(const Rows& labels, const Rows& rows) {
  std::vector<int64_t> counts(3, 0);
  for (const int32_t row : rows) ++counts[static_cast<size_t>(labels[static_cast<size_t>(row)])];
  return counts;
}

TEST(Split, EachRowIsInExactlyOnePart) {
  const SplitIndices split = split_stratified(uneven_labels(), 17, 1);
  EXPECT_EQ(split.validation.size(), 17U);
  Rows all = split.train;
  all.insert(all.end(), split.validation.begin(), split.validation.end());
  std::sort(all.begin(), all.end());
  for (int32_t i = 0; i < 100; ++i) ASSERT_EQ(all[static_cast<size_t>(i)], i);
}

TEST(Split, ClassesKeepTheirShares) {
  const Rows labels = uneven_labels();
  const SplitIndices split = split_stratified(labels, 20, 1);
  EXPECT_EQ(class_counts(labels, split.validation), (std::vector<int64_t>{12, 6, 2}));
  EXPECT_EQ(class_counts(labels, split_stratified(labels, 7, 1).validation),
            (std::vector<int64_t>{4, 2, 1}))
      << "4.2, 2.1 and 0.7: the largest remainder is rounded up";
}

TEST(Split, IsAFunctionOfTheSeed) {
  const Rows labels = uneven_labels();
  EXPECT_EQ(split_stratified(labels, 20, 7).validation, split_stratified(labels, 20, 7).validation);
  EXPECT_NE(split_stratified(labels, 20, 7).validation, split_stratified(labels, 20, 8).validation);
}

TEST(Split, BothPartsMustHaveRows) {
  expect_error(ErrorCode::usage, "100 of 100 rows",
               [] { split_stratified(uneven_labels(), 100, 1); });
  expect_error(ErrorCode::usage, "0 of 100 rows", [] { split_stratified(uneven_labels(), 0, 1); });
}

TEST(Split, GroupsStayTogether) {
  std::vector<std::string> premises;
  for (int i = 0; i < 60; ++i) premises.push_back("premise " + std::to_string(i / 3));
  const std::vector<std::string_view> keys(premises.begin(), premises.end());
  const SplitIndices split = split_grouped(keys, 10, 1);
  EXPECT_EQ(split.validation.size(), 9U) << "three groups of three; a fourth would be too many";
  EXPECT_EQ(split.train.size(), 51U);
  std::set<std::string_view> seen;
  for (const int32_t row : split.train) seen.insert(keys[static_cast<size_t>(row)]);
  for (const int32_t row : split.validation) {
    EXPECT_FALSE(seen.contains(keys[static_cast<size_t>(row)])) << row;
  }
  EXPECT_EQ(split.validation, split_grouped(keys, 10, 1).validation);
  EXPECT_NE(split.validation, split_grouped(keys, 10, 2).validation);
}

TEST(Split, AGroupThatIsTooLargeCannotBeSetAside) {
  const std::vector<std::string_view> keys(10, "one premise");
  expect_error(ErrorCode::usage, "set more rows aside", [&] { split_grouped(keys, 3, 1); });
  expect_error(ErrorCode::usage, "10 of 10 rows", [&] { split_grouped(keys, 10, 1); });
}

TEST(Sample, DrawsTheWantedNumberWithoutRepeats) {
  const Rows labels = uneven_labels();
  const Rows sample = sample_stratified(labels, 50, 3);
  EXPECT_EQ(sample.size(), 50U);
  EXPECT_EQ(std::adjacent_find(sample.begin(), sample.end(), std::greater_equal<>()), sample.end());
  EXPECT_EQ(class_counts(labels, sample), (std::vector<int64_t>{30, 15, 5}));
  EXPECT_EQ(sample_stratified(labels, 1000, 3).size(), 100U) << "no more than there are";
  expect_error(ErrorCode::usage, "0 rows", [&] { sample_stratified(labels, 0, 3); });
}

}  // namespace
}  // namespace headroom
