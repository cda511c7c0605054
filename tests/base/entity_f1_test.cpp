#include "base/measure/entity_f1.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {
using Tags = std::vector<std::string_view>;

HitCounts counted(const Tags& truth, const Tags& found) {
  HitCounts counts;
  count_entities(truth, found, counts);
  return counts;
}

void expect_counts(const HitCounts& counts, int64_t truth, int64_t found, int64_t correct) {
  EXPECT_EQ(counts.truth, truth);
  EXPECT_EQ(counts.found, found);
  EXPECT_EQ(counts.correct, correct);
}

TEST(EntityF1, CountsWholeEntitiesOnly) {
  const Tags truth = {"B-PER", "I-PER", "O", "B-LOC", "O", "B-ORG"};
  expect_counts(counted(truth, truth), 3, 3, 3);
  const Tags found = {"B-PER", "O", "O", "B-LOC", "I-LOC", "B-MISC"};  // short, long, other type
  expect_counts(counted(truth, found), 3, 3, 0);
}

TEST(EntityF1, IsTheHarmonicMeanOfPrecisionAndRecall) {
  const Tags truth = {"B-PER", "O", "B-LOC", "O"};
  const Tags found = {"B-PER", "O", "O", "O"};
  const HitCounts counts = counted(truth, found);
  EXPECT_DOUBLE_EQ(counts.precision(), 1.0);
  EXPECT_DOUBLE_EQ(counts.recall(), 0.5);
  EXPECT_DOUBLE_EQ(counts.f1(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(HitCounts{}.f1(), 0.0);
}

TEST(EntityF1, BesideOneAnotherTwoEntitiesAreTwo) {
  expect_counts(counted({"B-PER", "B-PER"}, {"B-PER", "I-PER"}), 2, 1, 0);
  expect_counts(counted({"I-PER", "I-LOC"}, {"B-PER", "B-LOC"}), 2, 2, 2);
}

TEST(EntityF1, AnInsideWithoutABeginningIsAnEntity) {
  expect_counts(counted({"O", "B-LOC", "I-LOC"}, {"O", "I-LOC", "I-LOC"}), 1, 1, 1);
}

TEST(EntityF1, UnderstandsOtherSchemes) {
  expect_counts(counted({"B-PER", "E-PER", "S-LOC"}, {"B-PER", "I-PER", "B-LOC"}), 2, 2, 2);
  expect_counts(counted({"B-PER", "L-PER", "U-PER"}, {"B-PER", "I-PER", "B-PER"}), 2, 2, 2);
  expect_counts(counted({"NOUN", "NOUN", "VERB"}, {"NOUN", "NOUN", "NOUN"}), 2, 1, 0);
}

TEST(EntityF1, AnEntityThatGoesOnInOnlyOneIsWrong) {
  expect_counts(counted({"B-PER", "I-PER", "I-PER"}, {"B-PER", "I-PER", "O"}), 1, 1, 0);
  expect_counts(counted({"B-PER", "I-PER", "O"}, {"B-PER", "I-PER", "I-PER"}), 1, 1, 0);
}

TEST(EntityF1, FirstSchemeBecomesSecond) {
  std::vector<std::string> tags = {"I-PER", "I-PER", "B-PER", "O", "I-LOC", "I-ORG", "NOUN"};
  begin_entities_with_b(tags);
  EXPECT_EQ(tags,
            (std::vector<std::string>{"B-PER", "I-PER", "B-PER", "O", "B-LOC", "B-ORG", "NOUN"}));
}

}  // namespace
}  // namespace headroom
