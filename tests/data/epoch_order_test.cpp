#include "data/epoch_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;

std::vector<int32_t> random_lengths(size_t rows) {
  Random random(5);
  std::vector<int32_t> lengths;
  for (size_t i = 0; i < rows; ++i) lengths.push_back(static_cast<int32_t>(3 + random.below(125)));
  return lengths;
}

// Positions that would be computed if each batch were padded to its longest row.
int64_t padded_size(const std::vector<std::vector<int32_t>>& batches,
                    const std::vector<int32_t>& lengths) {
  int64_t total = 0;
  for (const auto& batch : batches) {
    int32_t longest = 0;
    for (const int32_t row : batch) longest = std::max(longest, lengths[static_cast<size_t>(row)]);
    total += static_cast<int64_t>(batch.size()) * longest;
  }
  return total;
}

TEST(EpochOrder, EveryRowAppearsOnce) {
  const auto batches = epoch_batches(random_lengths(1003), 10, 1, 0);
  EXPECT_EQ(batches.size(), 101U);
  std::vector<int32_t> rows;
  for (const auto& batch : batches) rows.insert(rows.end(), batch.begin(), batch.end());
  std::sort(rows.begin(), rows.end());
  ASSERT_EQ(rows.size(), 1003U);
  for (int32_t i = 0; i < 1003; ++i) ASSERT_EQ(rows[static_cast<size_t>(i)], i);
}

TEST(EpochOrder, AtMostOneBatchIsSmaller) {
  const auto batches = epoch_batches(random_lengths(1003), 10, 1, 0);
  EXPECT_EQ(std::count_if(batches.begin(), batches.end(),
                          [](const auto& batch) { return batch.size() != 10; }),
            1);
}

TEST(EpochOrder, BatchesHoldSimilarLengths) {
  const auto lengths = random_lengths(5000);
  int64_t exact = 0;
  for (const int32_t length : lengths) exact += length;
  EXPECT_LT(padded_size(epoch_batches(lengths, 16, 1, 0), lengths), exact * 11 / 10);
}

TEST(EpochOrder, DependsOnSeedAndEpochOnly) {
  const auto lengths = random_lengths(200);
  EXPECT_EQ(epoch_batches(lengths, 8, 1, 3), epoch_batches(lengths, 8, 1, 3));
  EXPECT_NE(epoch_batches(lengths, 8, 1, 3), epoch_batches(lengths, 8, 1, 4));
  EXPECT_NE(epoch_batches(lengths, 8, 1, 3), epoch_batches(lengths, 8, 2, 3));
}

TEST(EpochOrder, EdgesAreHandled) {
  EXPECT_TRUE(epoch_batches({}, 8, 1, 0).empty());
  EXPECT_EQ(epoch_batches(random_lengths(3), 8, 1, 0).size(), 1U);
  expect_error(ErrorCode::usage, "a batch of 0 rows", [] { epoch_batches({}, 0, 1, 0); });
}

}  // namespace
}  // namespace headroom
