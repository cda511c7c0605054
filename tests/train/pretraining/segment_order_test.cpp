// Rows as two segments in either order, and an encoder that learns to tell which.
#include "train/pretraining/segment_order.h"

#include <gtest/gtest.h>

#include "train/pretraining/pretrain_recipe.h"
#include "train/pretraining/replaced_tokens.h"
#include "train/pretraining/stammer.h"

namespace headroom {
namespace {

constexpr int64_t end = 9;  // ends a sentence

SegmentSettings settings() {
  SegmentSettings settings;
  settings.weight = 1;
  settings.ends = {end};
  return settings;
}

Batch rows(const std::vector<std::vector<int64_t>>& rows) {
  std::vector<int64_t> all;
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  Batch batch;
  batch.tokens = torch::tensor(all, torch::kInt64).view({static_cast<int64_t>(rows.size()), -1});
  return batch;
}

std::vector<int64_t> numbers(const torch::Tensor& row) {
  return {row.data_ptr<int64_t>(), row.data_ptr<int64_t>() + row.numel()};
}

// Eight tokens of text, framed; 70 and 71 make room for two [SEP].
std::vector<int64_t> arranged(const std::vector<int64_t>& text, bool swapped) {
  std::vector<int64_t> row = {built_cls_id};
  row.insert(row.end(), text.begin(), text.end());
  row.insert(row.end(), {70, 71});
  return numbers(arrange_segments(rows({row}), settings(), torch::tensor({swapped})).batch.tokens);
}

TEST(SegmentOrder, CutsBehindASentence) {
  const std::vector<int64_t> text = {10, 11, 12, end, 13, 14, 15, 16};
  EXPECT_EQ(arranged(text, false),
            (std::vector<int64_t>{2, 10, 11, 12, end, 3, 13, 14, 15, 16, 3}));
  EXPECT_EQ(arranged(text, true), (std::vector<int64_t>{2, 13, 14, 15, 16, 3, 10, 11, 12, end, 3}));
}

TEST(SegmentOrder, PutsALongerSegmentFirstOrSecond) {
  const std::vector<int64_t> text = {10, 11, 12, 13, 14, end, 15, 16};
  EXPECT_EQ(arranged(text, false),
            (std::vector<int64_t>{2, 10, 11, 12, 13, 14, end, 3, 15, 16, 3}));
  EXPECT_EQ(arranged(text, true), (std::vector<int64_t>{2, 15, 16, 3, 10, 11, 12, 13, 14, end, 3}));
}

TEST(SegmentOrder, TakesTheEndNearestToTheMiddleAndTheFirstOfTwo) {
  EXPECT_EQ(arranged({10, end, 11, 12, end, 13, 14, 15}, false)[6], built_sep_id);
  EXPECT_EQ(arranged({10, 11, end, 12, end, 13, 14, 15}, false)[4], built_sep_id);
}

TEST(SegmentOrder, CutsInTheMiddleWhereNoSentenceEndsNear) {
  EXPECT_EQ(arranged({10, 11, 12, 13, 14, 15, 16, 17}, false)[5], built_sep_id);
  EXPECT_EQ(arranged({end, 11, 12, 13, 14, 15, end, end}, false)[5], built_sep_id);
}

TEST(SegmentOrder, EveryRowIsCutAndTypedOnItsOwn) {
  const SegmentBatch found = arrange_segments(rows({{2, 10, 11, end, 12, 13, 14, 15, 16, 70, 71},
                                                    {2, 10, 11, 12, 13, end, 14, 15, 16, 70, 71}}),
                                              settings(), torch::tensor({false, true}));
  EXPECT_EQ(numbers(found.batch.tokens[0]),
            (std::vector<int64_t>{2, 10, 11, end, 3, 12, 13, 14, 15, 16, 3}));
  EXPECT_EQ(numbers(found.batch.types[0]), (std::vector<int64_t>{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(numbers(found.batch.tokens[1]),
            (std::vector<int64_t>{2, 14, 15, 16, 3, 10, 11, 12, 13, end, 3}));
  EXPECT_EQ(numbers(found.batch.types[1]), (std::vector<int64_t>{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}));
}

TEST(SegmentOrder, SwapsHalfOfTheRowsAndTheSameOnesForASeed) {
  Batch batch;
  batch.tokens = torch::full({2000, 11}, 10, torch::kInt64);
  torch::manual_seed(1);
  const SegmentBatch first = order_segments(batch, settings());
  EXPECT_NEAR(first.swapped.sum().item<double>(), 1000, 100);
  torch::manual_seed(1);
  EXPECT_TRUE(torch::equal(order_segments(batch, settings()).swapped, first.swapped));
}

TEST(SegmentSettings, FindWhatEndsSentences) {
  const SegmentSettings found = segment_settings(Vocabulary::with_words({"a", "?", ".", ","}), 0.5);
  EXPECT_EQ(found.ends, (std::vector<int32_t>{special_count + 2, special_count + 1}));
  EXPECT_EQ(found.weight, 0.5);
  EXPECT_EQ(found.cls_id, built_cls_id);
  EXPECT_EQ(found.sep_id, built_sep_id);
}

// Every row is one letter in its first half and another in its second.
struct Ordering : testing::StammerModel {
  explicit Ordering(OutputHead head) : StammerModel(head, 24, 24) {
    settings.masks = masks;
    settings.segments = segment_settings(Vocabulary::with_words({"a", "b", "c", "d", "e", "f"}), 1);
    for (int64_t row = 0; row < validation[0].size(); ++row) {
      for (int64_t i = 1; i < testing::stammer_tokens; ++i) {
        validation[0].tokens[row][i] = special_count + (i <= 6 ? 0 : 1);
      }
    }
    Random random{1};
    model.order_head = fresh_binary_head(model.shape.width, 0.5, random, torch::kCPU);
  }

  // Steps on the rows that are validated.
  void train(Stage& stage) {
    Parameters parameters(model, {});
    for (uint64_t step = 0; step < 60; ++step) {
      Random random{step};
      stage.loss(model, validation[0], random).backward();
      const torch::NoGradGuard no_gradients;
      for (ParameterGroup& group : parameters.groups()) {
        group.values.add_(group.gradient.sign(), -2e-3);
        group.gradient.zero_();
      }
    }
  }

  PretrainingSettings settings;
};

TEST(SentenceOrder, IsLearnedBesideHiddenTokens) {
  Ordering ordering(OutputHead::masked_lm);
  const auto stage = masked_lm_stage(ordering.settings, ordering.validation);
  EXPECT_LT(stage->validate(ordering.model).detail("order_accuracy"), 0.8);
  ordering.train(*stage);
  const Validation after = stage->validate(ordering.model);
  EXPECT_GT(after.detail("order_accuracy"), 0.95);
  EXPECT_NE(after.summary.find("of hidden, order"), std::string::npos) << after.summary;
}

TEST(SentenceOrder, IsLearnedBesideReplacedTokens) {
  Ordering ordering(OutputHead::none);
  ordering.model.detection = pretraining_detection(
      ordering.model.shape, 0.25, 0.25, 1,
      log_frequencies(testing::stammer(testing::stammer_letters), ordering.masks), torch::kCPU);
  const auto stage = replaced_tokens_stage(ordering.settings, ordering.validation);
  EXPECT_LT(stage->validate(ordering.model).detail("order_accuracy"), 0.8);
  ordering.train(*stage);
  const Validation after = stage->validate(ordering.model);
  EXPECT_GT(after.detail("order_accuracy"), 0.95);
  EXPECT_NE(after.summary.find("generator"), std::string::npos) << after.summary;
}

TEST(SentenceOrder, IsNotToldWhereItIsNotAskedFor) {
  Ordering ordering(OutputHead::masked_lm);
  ordering.settings.segments.weight = 0;
  const Validation validation =
      masked_lm_stage(ordering.settings, ordering.validation)->validate(ordering.model);
  EXPECT_EQ(validation.details.size(), 2U);
  EXPECT_EQ(validation.summary, "");
}

}  // namespace
}  // namespace headroom
