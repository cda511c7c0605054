// Pretraining's parts: hidden tokens, epochs over packed rows, and a loss that falls.
#include "train/pretraining/masked_lm.h"

#include <gtest/gtest.h>

#include <set>

#include "support.h"
#include "train/notes.h"
#include "train/pretraining/stammer.h"

namespace headroom {
namespace {
using testing::expect_error;
using testing::Notes;

constexpr int64_t vocabulary_size = 45;

MaskSettings settings() {
  MaskSettings settings;
  settings.vocabulary = vocabulary_size;
  settings.never = {built_pad_id, built_unknown_id, built_cls_id, built_sep_id, built_mask_id};
  return settings;
}

// Ordinary tokens at random, but every row begins with [CLS] and every fifth token is special.
Batch ordinary_rows(int64_t rows, int64_t tokens) {
  Random random{1};
  Batch batch;
  batch.tokens = torch::empty({rows, tokens}, torch::kInt64);
  auto ids = batch.tokens.accessor<int64_t, 2>();
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < tokens; ++i) {
      ids[row][i] =
          i == 0 ? built_cls_id
          : i % 5 == 0
              ? static_cast<int64_t>(random.below(special_count))
              : special_count + static_cast<int64_t>(random.below(vocabulary_size - special_count));
    }
  }
  return batch;
}

MaskedBatch hide(const Batch& batch, uint64_t seed = 1) {
  torch::manual_seed(seed);
  return hide_tokens(batch, settings(), 0.15);
}

TEST(HideTokens, AsksForTheOriginalIdsAtThePlaces) {
  const Batch batch = ordinary_rows(16, 40);
  const MaskedBatch masked = hide(batch);
  EXPECT_TRUE(
      torch::equal(masked.answers, batch.tokens.flatten().index_select(0, masked.positions)));
}

TEST(HideTokens, HidesTheSameRoundedShareOfEveryRow) {
  for (const int64_t tokens : {8, 10, 23, 40, 64}) {
    const MaskedBatch masked = hide(ordinary_rows(7, tokens));
    const int64_t each = std::llround(0.15 * static_cast<double>(tokens));
    ASSERT_EQ(masked.positions.numel(), 7 * each) << tokens;
    std::set<int64_t> positions;
    for (int64_t i = 0; i < masked.positions.numel(); ++i) {
      const int64_t position = masked.positions[i].item<int64_t>();
      EXPECT_EQ(position / tokens, i / each);
      EXPECT_TRUE(positions.insert(position).second) << "a position is asked for twice";
    }
  }
}

TEST(HideTokens, HidesAtLeastOneOfAShortRow) {
  Batch batch = ordinary_rows(3, 3);
  EXPECT_EQ(hide(batch).positions.numel(), 3);
}

TEST(HideTokens, ChangesNothingElse) {
  const Batch batch = ordinary_rows(16, 40);
  const MaskedBatch masked = hide(batch);
  const torch::Tensor restored =
      masked.batch.tokens.flatten().index_put({masked.positions}, masked.answers);
  EXPECT_TRUE(torch::equal(restored.view({16, 40}), batch.tokens));
  EXPECT_FALSE(torch::equal(masked.batch.tokens, batch.tokens));
  EXPECT_TRUE(torch::equal(batch.tokens, ordinary_rows(16, 40).tokens)) << "the batch stays whole";
}

TEST(HideTokens, NeverHidesOrAsksForSpecialTokens) {
  const Batch batch = ordinary_rows(50, 40);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const MaskedBatch masked = hide(batch, seed);
    EXPECT_GE(masked.answers.min().item<int64_t>(), special_count);
    const torch::Tensor special = batch.tokens < special_count;
    EXPECT_TRUE(torch::equal(masked.batch.tokens.index({special}), batch.tokens.index({special})));
  }
}

TEST(HideTokens, EightOfTenBecomeMaskOneAnotherTokenAndOneStays) {
  const Batch batch = ordinary_rows(200, 40);
  double masks = 0;
  double replaced = 0;
  double same = 0;
  double all = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const MaskedBatch masked = hide(batch, seed);
    const torch::Tensor shown = masked.batch.tokens.flatten().index_select(0, masked.positions);
    masks += (shown == built_mask_id).sum().item<double>();
    same += (shown == masked.answers).sum().item<double>();
    replaced += ((shown != built_mask_id) & (shown != masked.answers)).sum().item<double>();
    all += static_cast<double>(shown.numel());
    EXPECT_LT(shown.max().item<int64_t>(), vocabulary_size);
    EXPECT_GE(shown.min().item<int64_t>(), built_mask_id);
  }
  const double by_chance =
      0.1 / (vocabulary_size - special_count);  // a random token may be the same
  EXPECT_NEAR(masks / all, 0.8, 0.01);
  EXPECT_NEAR(replaced / all, 0.1 - by_chance, 0.01);
  EXPECT_NEAR(same / all, 0.1 + by_chance, 0.01);
}

TEST(HideTokens, EveryOrdinaryPlaceIsHiddenSometimes) {
  const Batch batch = ordinary_rows(1, 20);
  std::set<int64_t> positions;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const MaskedBatch masked = hide(batch, seed);
    for (int64_t i = 0; i < masked.positions.numel(); ++i) {
      positions.insert(masked.positions[i].item<int64_t>());
    }
  }
  EXPECT_EQ(positions.size(), 16U) << "20 tokens, four of them special";
}

TEST(HideTokens, ARowOfSpecialTokensAsksForNothing) {
  Batch batch = ordinary_rows(2, 20);
  batch.tokens[0].fill_(built_sep_id);
  const MaskedBatch masked = hide(batch);
  EXPECT_TRUE(torch::equal(masked.batch.tokens[0], batch.tokens[0]));
  EXPECT_TRUE((masked.answers.narrow(0, 0, 3) == -100).all().item<bool>());
  EXPECT_TRUE((masked.answers.narrow(0, 3, 3) >= special_count).all().item<bool>());
}

TEST(HideTokens, ARowWithOneOrdinaryTokenAsksForThatOne) {
  Batch batch = ordinary_rows(1, 20);
  batch.tokens.fill_(built_unknown_id);
  batch.tokens[0][13] = 30;
  const MaskedBatch masked = hide(batch);
  EXPECT_EQ((masked.answers == 30).sum().item<int64_t>(), 1);
  EXPECT_EQ((masked.answers == -100).sum().item<int64_t>(), 2);
}

TEST(HideTokens, TheSameSeedHidesTheSame) {
  const Batch batch = ordinary_rows(8, 40);
  const MaskedBatch first = hide(batch, 5);
  const MaskedBatch again = hide(batch, 5);
  EXPECT_TRUE(torch::equal(first.positions, again.positions));
  EXPECT_TRUE(torch::equal(first.batch.tokens, again.batch.tokens));
  EXPECT_FALSE(torch::equal(first.positions, hide(batch, 6).positions));
}

TEST(MaskSettings, ComeFromTheVocabulary) {
  const MaskSettings found = mask_settings(Vocabulary::with_words({"a", "b"}));
  EXPECT_EQ(found.mask_id, built_mask_id);
  EXPECT_EQ(found.vocabulary, 7);
  EXPECT_EQ(std::set<int32_t>(found.never.begin(), found.never.end()),
            (std::set<int32_t>{0, 1, 2, 3, 4}));
}

TEST(MaskSettings, FindSpecialTokensWhereverTheyAre) {
  const MaskSettings found =
      mask_settings(Vocabulary::from_text("[PAD]\na\n[MASK]\nb\n[UNK]\n[SEP]\nc\n[CLS]\n"));
  EXPECT_EQ(found.mask_id, 2);
  EXPECT_EQ(std::set<int32_t>(found.never.begin(), found.never.end()),
            (std::set<int32_t>{0, 2, 4, 5, 7}));
}

TEST(MaskSettings, WithoutAMaskTokenAreABadModel) {
  const Vocabulary plain = Vocabulary::from_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n");
  expect_error(ErrorCode::bad_model, "no [MASK] token", [&] { mask_settings(plain); });
}

// Row i is made of the token special_count + i.
PackedRows numbered_rows(int32_t count) {
  PackedRows rows{8, {}};
  for (int32_t i = 0; i < count; ++i) rows.tokens.insert(rows.tokens.end(), 8, special_count + i);
  return rows;
}

std::vector<int64_t> rows_in(const Batch& batch) {
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < batch.size(); ++i) {
    rows.push_back(batch.tokens[i][0].item<int64_t>() - special_count);
  }
  return rows;
}

TEST(PackedSource, ShowsEveryRowOnceAnEpoch) {
  const auto source = packed_source(numbered_rows(12), 4, 1, torch::kCPU);
  ASSERT_EQ(source->steps_per_epoch(), 3);
  std::set<std::vector<int64_t>> orders;
  for (int64_t epoch = 0; epoch < 4; ++epoch) {
    std::vector<int64_t> seen;
    for (int64_t step = 0; step < 3; ++step) {
      for (const int64_t row : rows_in(source->batch(epoch * 3 + step))) seen.push_back(row);
    }
    EXPECT_EQ(std::set<int64_t>(seen.begin(), seen.end()).size(), 12U);
    orders.insert(seen);
  }
  EXPECT_EQ(orders.size(), 4U) << "every epoch has its own order";
}

TEST(PackedSource, BatchesAreWholeRowsWithoutPadding) {
  const Batch batch = packed_source(numbered_rows(12), 5, 1, torch::kCPU)->batch(0);
  EXPECT_EQ(batch.tokens.sizes(), (std::vector<int64_t>{5, 8}));
  EXPECT_EQ(batch.tokens.scalar_type(), torch::kInt64);
  EXPECT_FALSE(batch.key_bias.defined());
}

TEST(PackedSource, IsAFunctionOfSeedAndStep) {
  const auto walked = packed_source(numbered_rows(12), 4, 1, torch::kCPU);
  for (int64_t step = 0; step < 9; ++step) {
    const auto jumped = packed_source(numbered_rows(12), 4, 1, torch::kCPU);
    EXPECT_EQ(rows_in(walked->batch(step)), rows_in(jumped->batch(step))) << "step " << step;
  }
  EXPECT_NE(rows_in(packed_source(numbered_rows(12), 12, 1, torch::kCPU)->batch(0)),
            rows_in(packed_source(numbered_rows(12), 12, 2, torch::kCPU)->batch(0)));
}

TEST(PackedSource, ABatchIsNeverLargerThanTheText) {
  const auto source = packed_source(numbered_rows(3), 100, 1, torch::kCPU);
  EXPECT_EQ(source->batch_size(), 3);
  EXPECT_EQ(source->steps_per_epoch(), 1);
  EXPECT_EQ(source->batch(7).size(), 3);
}

TEST(CutRows, GiveEachPieceItsRowsCls) {
  Batch batch;
  batch.tokens =
      torch::tensor({2, 10, 11, 12, 13, 14, 15, 16, 3, 20, 21, 22, 23, 24, 25, 26}, torch::kInt64)
          .view({2, 8});
  const Batch cut = cut_rows(batch, 4);
  const torch::Tensor expected =
      torch::tensor({2, 10, 11, 12, 2, 14, 15, 16, 3, 20, 21, 22, 3, 24, 25, 26}, torch::kInt64);
  EXPECT_TRUE(torch::equal(cut.tokens, expected.view({4, 4}))) << cut.tokens;
  EXPECT_EQ(batch.tokens[0][4].item<int64_t>(), 13) << "the batch stays whole";
}

TEST(PackedBatches, HoldEveryRowInOrder) {
  std::vector<int64_t> seen;
  for (const Batch& batch : packed_batches(numbered_rows(7), 3, torch::kCPU)) {
    for (const int64_t row : rows_in(batch)) seen.push_back(row);
  }
  EXPECT_EQ(seen, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6}));
}

struct Pretraining : testing::StammerModel {
  Pretraining() : StammerModel(OutputHead::masked_lm, 12, 5) {}
  void run(int64_t steps) {
    train(masked_lm_stage({masks}, validation), 1e-2, steps, /*keep_best=*/true);
  }
  Validation validate() { return masked_lm_stage({masks}, validation)->validate(model); }
};

TEST(MaskedLmStage, LearnsARepetitiveText) {
  Pretraining pretraining;
  const Validation before = pretraining.validate();
  pretraining.run(80);
  const Validation after = pretraining.validate();
  ASSERT_EQ(after.details[0].first, "loss");
  EXPECT_LT(after.details[0].second, 0.5 * before.details[0].second);
  EXPECT_LT(before.score, 0.5);
  EXPECT_GT(after.score, 0.8);
  EXPECT_NEAR(after.details[1].second, std::exp(after.details[0].second), 1e-9);
}

TEST(PlateauWatch, HoldsNearTheLossOfFrequenciesOnceTheRunShouldBeBelow) {
  const PlateauWatch watch{.frequency_loss = 7, .from_step = 100};
  EXPECT_TRUE(watch.on_plateau(100, 7.0));
  EXPECT_TRUE(watch.on_plateau(200, 6.4)) << "copying the tokens that stay is not enough";
  EXPECT_FALSE(watch.on_plateau(99, 7.0));
  EXPECT_FALSE(watch.on_plateau(100, 6.2));
  EXPECT_FALSE(PlateauWatch{.frequency_loss = 7}.on_plateau(1000, 7.0)) << "nothing is watched";
}

TEST(PlateauWatch, IsToldOnceWithWhatToDo) {
  Pretraining pretraining;
  Notes notes;
  const PlateauWatch watch{.frequency_loss = 0.1, .from_step = 3, .rate = 1e-3, .progress = &notes};
  const auto stage =
      masked_lm_stage({.masks = pretraining.masks, .watch = watch}, pretraining.validation);
  const auto validate_after = [&](int steps) {
    for (int i = 0; i < steps; ++i) stage->advance(0);
    stage->validate(pretraining.model);
  };
  validate_after(2);
  EXPECT_TRUE(notes.lines.empty());
  validate_after(1);
  validate_after(1);
  ASSERT_EQ(notes.lines.size(), 1U);
  EXPECT_TRUE(notes.hold("after 3 steps")) << notes.lines[0];
  EXPECT_TRUE(notes.hold("--lr 0.0005")) << notes.lines[0];
}

TEST(MaskSettings, HideAShareThatFallsOnTheWay) {
  MaskSettings falling = settings();
  falling.share = 0.3;
  falling.share_at_end = 0.1;
  EXPECT_DOUBLE_EQ(falling.share_at(0), 0.3);
  EXPECT_DOUBLE_EQ(falling.share_at(0.5), 0.2);
  EXPECT_DOUBLE_EQ(falling.share_at(1), 0.1);
  EXPECT_DOUBLE_EQ(settings().share_at(0.7), 0.15);
}

TEST(MaskedLmStage, HidesAnotherShareAsItGoesOn) {
  Pretraining pretraining;
  const auto losses = [&](double share, double share_at_end) {
    pretraining.masks.share = share;
    pretraining.masks.share_at_end = share_at_end;
    const auto stage = masked_lm_stage({pretraining.masks}, pretraining.validation);
    std::vector<double> found;
    for (const double progress : {0.0, 1.0}) {
      stage->advance(progress);
      torch::manual_seed(1);
      Random random{1};
      const torch::Tensor loss = stage->loss(pretraining.model, pretraining.validation[0], random);
      found.push_back(loss.item<double>());
    }
    return found;
  };
  const std::vector<double> falling = losses(0.5, 0.2);
  EXPECT_EQ(falling[0], losses(0.5, 0.5)[0]);
  EXPECT_EQ(falling[1], losses(0.2, 0.2)[1]);
  EXPECT_NE(falling[0], falling[1]);
}

TEST(MaskedLmStage, ShowsShortRowsInTheFirstPartOfTheRun) {
  Pretraining pretraining;
  const auto loss_of = [&](const LengthSchedule& lengths, double progress, const Batch& batch) {
    const auto stage =
        masked_lm_stage({.masks = pretraining.masks, .lengths = lengths}, pretraining.validation);
    stage->advance(progress);
    torch::manual_seed(1);
    Random random{1};
    return stage->loss(pretraining.model, batch, random).item<double>();
  };
  const Batch& whole = pretraining.validation[0];
  const LengthSchedule half{.tokens = 8, .share = 0.5};
  EXPECT_EQ(loss_of(half, 0.4, whole), loss_of({}, 0.4, cut_rows(whole, 8)));
  EXPECT_EQ(loss_of(half, 0.6, whole), loss_of({}, 0.6, whole));
  EXPECT_NE(loss_of(half, 0.4, whole), loss_of({}, 0.4, whole));
}

TEST(MaskedLmStage, ValidatesOnTheSameMasksEveryTime) {
  Pretraining pretraining;
  torch::manual_seed(1);
  const auto stage = masked_lm_stage({pretraining.masks}, pretraining.validation);
  const Validation first = stage->validate(pretraining.model);
  torch::manual_seed(2);
  EXPECT_EQ(stage->validate(pretraining.model).details, first.details);
  EXPECT_EQ(pretraining.validate().details, first.details) << "another stage, the same masks";
}

TEST(MaskedLmStage, SpecialTokensCountForNothing) {
  Pretraining pretraining;
  const Validation expected = pretraining.validate();
  Batch nothing;
  nothing.tokens = torch::full({4, 16}, built_sep_id, torch::kInt64);
  pretraining.validation.push_back(nothing);
  const Validation result = pretraining.validate();
  EXPECT_DOUBLE_EQ(result.score, expected.score);
  EXPECT_NEAR(result.details[0].second, expected.details[0].second, 1e-9);
}

}  // namespace
}  // namespace headroom
