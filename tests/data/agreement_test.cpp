#include "data/agreement.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

NamedMeasure alike(Task task, const RowOutputs& outputs, const RowOutputs& full,
                   const OutputNames& names = {}) {
  return measure_agreement(task, {}, outputs, full, names).values.at(0);
}

TEST(Agreement, OfLabelsIsTheShareOfTextsWithTheSame) {
  const NamedMeasure found =
      alike(Task::classify, {{0.6F, 0.4F}, {0.6F, 0.4F}}, {{0.9F, 0.1F}, {0.2F, 0.8F}});
  EXPECT_EQ(found.name, "agreement");
  EXPECT_EQ(found.value, 0.5);
}

TEST(Agreement, OfSeveralLabelsAsksForAllOfThem) {
  const RowOutputs full = {{0.9F, 0.1F}, {0.9F, 0.9F}};
  const RowOutputs outputs = {{0.6F, 0.4F}, {0.6F, 0.4F}};
  EXPECT_EQ(alike(Task::multilabel, outputs, full).value, 0.5);
  const std::vector<double> thresholds = {0.5, 0.05};
  EXPECT_EQ(alike(Task::multilabel, outputs, full, {{}, thresholds}).value, 1);
}

TEST(Agreement, OfTagsCountsTokensThatHaveOneAndNoPadding) {
  EncodedDataset rows;
  rows.append(std::vector<int32_t>{1, 2, 3}, 0);
  rows.tags = {EncodedDataset::no_tag, 0, 0};
  const std::vector<std::string> labels = {"O", "B-LOC"};
  const RowOutputs full = {{0, 1, 1, 0, 0, 1}};
  const RowOutputs outputs = {{1, 0, 1, 0, 1, 0, 1, 0}};  // the same row, padded to four tokens
  const Measured found = measure_agreement(Task::tag, rows, outputs, full, {labels, {}});
  EXPECT_EQ(found.examples, 2);
  EXPECT_EQ(found.values.at(0).value, 0.5);
}

TEST(Agreement, OfScoresIsThatOfTheirOrder) {
  const NamedMeasure found = alike(Task::regress, {{1}, {2}, {7}}, {{10}, {30}, {31}});
  EXPECT_EQ(found.name, "rank_correlation");
  EXPECT_EQ(found.value, 1);
}

TEST(Agreement, OfVectorsIsTheirMeanCosine) {
  const NamedMeasure found = alike(Task::embed, {{1, 0}, {0, 2}}, {{3, 0}, {1, 0}});
  EXPECT_EQ(found.name, "cosine");
  EXPECT_EQ(found.value, 0.5);
}

TEST(Agreement, OfAModelWithItselfHasNoLoss) {
  EXPECT_EQ(measure_agreement(Task::regress, {}, {{3}, {4}}, {{3}, {4}}, {}).loss, 0);
  EXPECT_EQ(measure_agreement(Task::regress, {}, {{3}, {4}}, {{3}, {6}}, {}).loss, 2);
}

}  // namespace
}  // namespace headroom
