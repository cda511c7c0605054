// What counts as agreement, and that a choice is one; which precision is fastest is the machine's.
#include "engine/answers/choose_precision.h"

#include <gtest/gtest.h>

#include "checkpoint/checkpoint.h"
#include "engine/random_model.h"

namespace headroom {
namespace {

using testing::RandomCheckpoint;

Answer scored(std::vector<double> scores) {
  Answer answer;
  answer.scores = std::move(scores);
  return answer;
}

TEST(ChoosePrecision, ScoresDifferByTheirLargestDifference) {
  EXPECT_NEAR(answer_difference(OutputForm::label, scored({0.2, 0.8}), scored({0.25, 0.75}), 1),
              0.05, 1e-12);
  Answer three;
  three.score = 3;
  EXPECT_NEAR(answer_difference(OutputForm::score, three, Answer{}, 12), 0.25, 1e-12)
      << "a number over the range of all";
  Answer across;
  across.embedding = {0, 2};
  Answer along;
  along.embedding = {3, 0};
  EXPECT_NEAR(answer_difference(OutputForm::vector, across, along, 1), 1, 1e-12);
  EXPECT_NEAR(answer_difference(OutputForm::vector, along, along, 1), 0, 1e-12);
}

TEST(ChoosePrecision, TagsAreTheSameWhereEveryTokensLabelIs) {
  const Answer a = scored({0.9, 0.1, 0.4, 0.6});
  EXPECT_TRUE(same_answer(OutputForm::tags, a, scored({0.6, 0.4, 0.1, 0.9}), 2));
  EXPECT_FALSE(same_answer(OutputForm::tags, a, scored({0.6, 0.4, 0.9, 0.1}), 2));
}

TEST(ChoosePrecision, WhatIsChosenAgreesAndIsFaster) {
  const RandomCheckpoint checkpoint(testing::small_shape());
  SilentProgress silent;
  const PrecisionChoice choice =
      choose_precision(checkpoint.path(), read_config(checkpoint.path()), silent);
  EXPECT_EQ(choice.inputs, 48 * 3) << "at three budgets";
  EXPECT_LE(choice.difference, most_difference);
  if (choice.precision == Precision::fp32) {
    EXPECT_EQ(choice.difference, 0);
    EXPECT_EQ(choice.agreement, 1);
  } else {
    EXPECT_GE(choice.speedup, least_speedup);
  }
}

}  // namespace
}  // namespace headroom
