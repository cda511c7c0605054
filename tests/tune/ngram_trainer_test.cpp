// Rung zero learns what a bag of n-grams can, the same bytes every time.
#include "tune/ngram_trainer.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "budget/ladder/confidence.h"
#include "train/stop_at.h"

namespace headroom {
namespace {

struct Toy {
  std::vector<Tokens> rows;
  std::vector<Scores> targets;
};

// Label 1 where token 5 stands directly before token 6; single tokens say nothing.
Toy pairs_in_order(uint64_t seed) {
  Random random{seed};
  Toy toy;
  for (int i = 0; i < 400; ++i) {
    const bool ordered = i % 2 == 0;
    Tokens row{{2}};
    const auto noise = [&] { row.ids.push_back(static_cast<int32_t>(7 + random.below(20))); };
    noise();
    row.ids.push_back(ordered ? 5 : 6);
    row.ids.push_back(ordered ? 6 : 5);
    noise();
    row.ids.push_back(3);
    toy.rows.push_back(row);
    toy.targets.push_back(ordered ? Scores{0.1, 0.9} : Scores{0.9, 0.1});
  }
  return toy;
}

double share_right(const NgramBag& bag, const Toy& toy) {
  int right = 0;
  for (size_t i = 0; i < toy.rows.size(); ++i) {
    if (best_label(bag.scores(toy.rows[i].ids, {})) == best_label(toy.targets[i])) ++right;
  }
  return right / static_cast<double>(toy.rows.size());
}

NgramBag train(int64_t orders) {
  SilentProgress silent;
  NgramTraining settings;
  settings.orders = orders;
  settings.bytes = 1 << 12;
  const Toy toy = pairs_in_order(1);
  return train_ngram_bag(toy.rows, toy.targets, 30, 2, settings, silent);
}

TEST(NgramTrainer, LearnsFromPairsOfTokensWhatSingleOnesDoNotSay) {
  const Toy fresh = pairs_in_order(2);
  EXPECT_EQ(share_right(train(2), fresh), 1);
  EXPECT_LT(share_right(train(1), fresh), 0.8);
}

TEST(NgramTrainer, RepeatsTheTeachersProbabilities) {
  const Toy fresh = pairs_in_order(3);
  const std::vector<double> scores = train(2).scores(fresh.rows[0].ids, {});
  EXPECT_NEAR(scores[1], 0.9, 0.05);
}

TEST(NgramTrainer, PassesMoreOftenOverFewRows) {
  EXPECT_EQ(chosen_epochs(0), 40);
  EXPECT_EQ(chosen_epochs(10'000), 40);
  EXPECT_EQ(chosen_epochs(20'000), 20);
  EXPECT_EQ(chosen_epochs(10'000'000), 10);
}

TEST(NgramTrainer, GivesTheSameBytesForTheSameRows) {
  const NgramBag first = train(2);
  const NgramBag second = train(2);
  EXPECT_EQ(first.weights, second.weights);
  EXPECT_EQ(first.scales, second.scales);
  check(first);
}

TEST(NgramTrainer, StopsWithinAnEpochOfManyRows) {
  const Toy few = pairs_in_order(1);
  Toy many;
  while (many.rows.size() < 10'000) {
    many.rows.insert(many.rows.end(), few.rows.begin(), few.rows.end());
    many.targets.insert(many.targets.end(), few.targets.begin(), few.targets.end());
  }
  NgramTraining settings;
  settings.epochs = 1;
  EXPECT_EXIT(testing::exit_when_terminated(2,
                                            [&](ProgressSink& stop) {
                                              train_ngram_bag(many.rows, many.targets, 30, 2,
                                                              settings, stop);
                                            }),
              ::testing::ExitedWithCode(exit_code(ErrorCode::interrupted)), "");
}

}  // namespace
}  // namespace headroom
