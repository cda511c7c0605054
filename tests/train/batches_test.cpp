#include "train/rows/batches.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "train/evaluate/evaluate.h"
#include "train/rows/form_batches.h"
#include "train/tiny.h"

namespace headroom {
namespace {

constexpr float masked = -std::numeric_limits<float>::infinity();

// Row i is the token i + 1, repeated 1 + i % 4 times, with label i.
EncodedDataset numbered_rows(int32_t count) {
  EncodedDataset data;
  for (int32_t i = 0; i < count; ++i) {
    data.append(std::vector<int32_t>(static_cast<size_t>(1 + i % 4), i + 1), i);
  }
  return data;
}

bool same_batch(const Batch& a, const Batch& b) {
  return torch::equal(a.tokens, b.tokens) && torch::equal(a.labels, b.labels);
}

TEST(Batches, ShortRowsArePaddedAndMasked) {
  EncodedDataset data;
  data.append(std::vector<int32_t>{5, 6, 7}, 1);
  data.append(std::vector<int32_t>{8}, 0);
  const std::vector<int32_t> rows = {1, 0};
  const Batch batch = make_batch(data, rows, torch::kCPU);
  EXPECT_TRUE(torch::equal(batch.tokens, torch::tensor({{8, 0, 0}, {5, 6, 7}}, torch::kInt64)));
  EXPECT_TRUE(torch::equal(batch.labels, torch::tensor({0, 1}, torch::kInt64)));
  EXPECT_EQ(batch.key_bias.sizes(), (std::vector<int64_t>{2, 1, 1, 3}));
  EXPECT_TRUE(torch::equal(batch.key_bias.view({2, 3}),
                           torch::tensor({{0.0F, masked, masked}, {0.0F, 0.0F, 0.0F}})));
}

TEST(Batches, RowsOfOneLengthNeedNoMask) {
  EncodedDataset data;
  data.append(std::vector<int32_t>{5, 6}, 1);
  data.append(std::vector<int32_t>{8, 9}, 0);
  const std::vector<int32_t> rows = {0, 1};
  const Batch batch = make_batch(data, rows, torch::kCPU);
  EXPECT_FALSE(batch.key_bias.defined());
  EXPECT_FALSE(batch.types.defined());
}

TEST(Batches, PairsCarryTheirTypes) {
  EncodedDataset data;
  data.append(std::vector<int32_t>{5, 6, 7}, 0);
  data.append(std::vector<int32_t>{8, 9}, 0);
  data.types = {0, 1, 1, 0, 1};
  const std::vector<int32_t> rows = {0, 1};
  EXPECT_TRUE(torch::equal(make_batch(data, rows, torch::kCPU).types,
                           torch::tensor({{0, 1, 1}, {0, 1, 0}}, torch::kInt64)));
}

// Colour images of 8 x 8 that are black but for one bright pixel in row 3, column 2.
EncodedDataset dotted_images(int64_t count) {
  EncodedDataset data;
  data.form = RowForm::image;
  data.image = {8, 3, 4};
  for (int64_t i = 0; i < count; ++i) {
    std::vector<uint8_t> pixels(static_cast<size_t>(data.image.values()), 0);
    pixels[3 * 8 + 2] = 255;
    data.pixels.insert(data.pixels.end(), pixels.begin(), pixels.end());
    data.append(std::vector<int32_t>{}, 0);
  }
  return data;
}

// Where the bright pixel of each image is now: (row, column).
std::set<std::pair<int64_t, int64_t>> dots(const Batch& batch) {
  std::set<std::pair<int64_t, int64_t>> found;
  const torch::Tensor bright = (batch.patches > 0.5).nonzero();
  for (int64_t i = 0; i < bright.size(0); ++i) {
    const int64_t patch = bright[i][1].item<int64_t>();
    const int64_t number = bright[i][2].item<int64_t>();
    found.insert({patch / 2 * 4 + number / 4, patch % 2 * 4 + number % 4});
  }
  return found;
}

TEST(ImageSource, LeavesImagesAloneWithoutAugmentation) {
  const auto source = image_source(dotted_images(50), 50, /*augment=*/0, 1, torch::kCPU);
  EXPECT_EQ(dots(source->batch(0)), (std::set<std::pair<int64_t, int64_t>>{{3, 2}}));
}

TEST(ImageSource, MovesAndMirrorsEachImageByItself) {
  const auto source = image_source(dotted_images(400), 400, /*augment=*/1, 1, torch::kCPU);
  std::set<std::pair<int64_t, int64_t>> expected;
  for (const int64_t row : {2, 3, 4}) {
    for (const int64_t column : {1, 2, 3}) {
      expected.insert({row, column});
      expected.insert({row, 7 - column});
    }
  }
  EXPECT_EQ(dots(source->batch(0)), expected);
  EXPECT_TRUE(torch::equal(source->batch(3).patches, source->batch(3).patches));
}

TEST(EpochSource, ShowsEveryRowOnceAnEpoch) {
  const EncodedDataset data = numbered_rows(23);
  const auto source = epoch_source(data, 5, 1, torch::kCPU);
  ASSERT_EQ(source->steps_per_epoch(), 5);
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    std::multiset<int64_t> seen;
    for (int64_t step = 0; step < 5; ++step) {
      const Batch batch = source->batch(epoch * 5 + step);
      for (int64_t row = 0; row < batch.size(); ++row) {
        EXPECT_EQ(batch.tokens[row][0].item<int64_t>(), batch.labels[row].item<int64_t>() + 1);
        seen.insert(batch.labels[row].item<int64_t>());
      }
    }
    EXPECT_EQ(seen.size(), 23U);
    EXPECT_EQ(std::set<int64_t>(seen.begin(), seen.end()).size(), 23U);
  }
}

TEST(EpochSource, IsAFunctionOfTheStep) {
  const EncodedDataset data = numbered_rows(23);
  const auto walked = epoch_source(data, 5, 1, torch::kCPU);
  for (int64_t step = 0; step < 20; ++step) {
    const auto jumped = epoch_source(data, 5, 1, torch::kCPU);
    EXPECT_TRUE(same_batch(walked->batch(step), jumped->batch(step))) << "step " << step;
  }
}

TEST(EpochSource, EpochsAndSeedsDifferInOrder) {
  const EncodedDataset data = numbered_rows(40);
  const auto labels = [&](uint64_t seed, int64_t step) {
    return epoch_source(data, 40, seed, torch::kCPU)->batch(step).labels;
  };
  // One batch an epoch is sorted by length, so it is the order inside a length that tells.
  EXPECT_FALSE(torch::equal(labels(1, 0), labels(1, 1)));
  EXPECT_FALSE(torch::equal(labels(1, 0), labels(2, 0)));
}

TEST(SyntheticSource, IsAFunctionOfTheStep) {
  const auto walked = testing::tiny_source();
  for (int64_t step = 0; step < 10; ++step) {
    EXPECT_TRUE(same_batch(walked->batch(step), testing::tiny_source()->batch(step)));
  }
}

TEST(SyntheticSource, NeverRepeatsARow) {
  const auto source = testing::tiny_source();
  std::set<std::vector<int64_t>> seen;
  for (int64_t step = 0; step < 10; ++step) {
    const torch::Tensor tokens = source->batch(step).tokens;
    for (int64_t row = 0; row < 8; ++row) {
      const auto* ids = tokens[row].data_ptr<int64_t>();
      EXPECT_TRUE(seen.emplace(ids, ids + tokens.size(1)).second);
    }
  }
}

TEST(EvaluationBatches, HoldEveryRowOnceSortedByLength) {
  const std::vector<Batch> batches = evaluation_batches(numbered_rows(23), 5, torch::kCPU);
  std::set<int64_t> seen;
  int64_t before = 0;
  for (const Batch& batch : batches) {
    EXPECT_GE(batch.length(), before);
    before = batch.length();
    for (int64_t row = 0; row < batch.size(); ++row) {
      seen.insert(batch.labels[row].item<int64_t>());
    }
  }
  EXPECT_EQ(batches.size(), 5U);
  EXPECT_EQ(seen.size(), 23U);
}

}  // namespace
}  // namespace headroom
