#include "data/measures.h"

#include <gtest/gtest.h>

#include <cmath>

namespace headroom {
namespace {

double value_of(const Measured& measured, std::string_view name) {
  for (const NamedMeasure& each : measured.values) {
    if (each.name == name) return each.value;
  }
  ADD_FAILURE() << "no measure " << name;
  return -1;
}

EncodedDataset rows_of(std::initializer_list<int32_t> lengths) {
  EncodedDataset rows;
  for (const int32_t length : lengths) {
    rows.append(std::vector<int32_t>(static_cast<size_t>(length), 5), 0);
  }
  return rows;
}

TEST(Measures, OfTagsCountsSentencesOverSeveralRows) {
  const std::vector<std::string> labels = {"O", "B-X", "I-X"};
  EncodedDataset rows = rows_of({3, 3});
  const int32_t none = EncodedDataset::no_tag;
  rows.tags = {none, 1, none, none, 2, none};
  rows.groups = {0, 0};
  const RowOutputs right = {{1, 0, 0, 0.1F, 0.8F, 0.1F, 1, 0, 0},
                            {1, 0, 0, 0, 0.25F, 0.75F, 1, 0, 0}};
  const Measured measured = measure_outputs(Task::tag, rows, right, {labels, {}});
  EXPECT_EQ(measured.examples, 1) << "sentence";
  EXPECT_EQ(value_of(measured, "f1"), 1) << "one entity of two words";
  EXPECT_EQ(value_of(measured, "accuracy"), 1);
  EXPECT_NEAR(measured.loss, -(std::log(0.8) + std::log(0.75)) / 2, 1e-6);
  rows.groups = {0, 1};  // two sentences, of which the second begins inside
  EXPECT_EQ(value_of(measure_outputs(Task::tag, rows, right, {labels, {}}), "f1"), 1);
  const RowOutputs half = {right[0], {1, 0, 0, 0.9F, 0.1F, 0, 1, 0, 0}};
  rows.groups = {0, 0};
  const Measured wrong = measure_outputs(Task::tag, rows, half, {labels, {}});
  EXPECT_EQ(value_of(wrong, "f1"), 0) << "an entity that ends too early";
  EXPECT_EQ(value_of(wrong, "accuracy"), 0.5);
}

TEST(Measures, OfLabelsUseThresholds) {
  EncodedDataset rows = rows_of({1, 1});
  rows.values_a_row = 2;
  rows.values = {1, 0, 1, 1};
  const RowOutputs outputs = {{0.6F, 0.4F}, {0.3F, 0.45F}};
  const std::vector<double> halves = {0.5, 0.5};
  const Measured at_half = measure_outputs(Task::multilabel, rows, outputs, {{}, halves});
  EXPECT_NEAR(value_of(at_half, "f1"), (2.0 / 3 + 0) / 2, 1e-9);
  EXPECT_NEAR(value_of(at_half, "f1_micro"), 2.0 / 4, 1e-9);
  EXPECT_EQ(value_of(at_half, "precision"), 1);
  EXPECT_NEAR(at_half.loss, -(std::log(0.6) + std::log(0.6) + std::log(0.3) + std::log(0.45)) / 4,
              1e-6);
  EXPECT_EQ(value_of(measure_outputs(Task::multilabel, rows, outputs, {}), "f1"), 1)
      << "the best thresholds for these rows";
}

TEST(Measures, OfNumbers) {
  EncodedDataset rows = rows_of({1, 1, 1});
  rows.values_a_row = 1;
  rows.values = {1, 2, 3};
  const Measured measured = measure_outputs(Task::regress, rows, {{2}, {3}, {5}}, {});
  EXPECT_EQ(value_of(measured, "spearman"), 1);
  EXPECT_NEAR(value_of(measured, "rmse"), std::sqrt(6.0 / 3), 1e-9);
  EXPECT_NEAR(measured.loss, 2, 1e-9);
}

TEST(Measures, OfRankingsCompareWithTheOrderGiven) {
  EncodedDataset rows = rows_of({1, 1});
  rows.values_a_row = 2;
  rows.values = {0, 1, 1, 1};
  rows.groups = {0, 0};
  const Measured measured = measure_outputs(Task::rerank, rows, {{0.2F}, {0.9F}}, {});
  EXPECT_EQ(value_of(measured, "ndcg"), 1);
  EXPECT_EQ(value_of(measured, "mrr"), 1);
  EXPECT_NEAR(value_of(measured, "ndcg_before"), 1 / std::log2(3.0), 1e-9);
  EXPECT_EQ(value_of(measured, "mrr_before"), 0.5);
}

TEST(Measures, OfVectorsWithScoresLookAtPrefixesToo) {
  EncodedDataset rows = rows_of({1, 1, 1});
  rows.partners = {rows_of({1, 1, 1})};
  rows.values_a_row = 1;
  rows.values = {5, 2, 1};
  const RowOutputs outputs = {{1, 0, 0, 0, 2, 0, 0, 0},    // alike
                              {1, 1, 0, 0, 0, 1, 0, 0},    // half
                              {1, 0, 0, 1, 1, 0, 0, -1}};  // only the first numbers alike
  const Measured measured = measure_outputs(Task::embed, rows, outputs, {});
  EXPECT_NEAR(value_of(measured, "spearman"), 1, 1e-9);
  EXPECT_LT(value_of(measured, "spearman_2"), 1) << "a half of the dimensions";
  EXPECT_EQ(text_lengths(rows).size(), 6U);
}

TEST(Measures, OfVectorsWithoutScoresSearchForPartners) {
  EncodedDataset rows = rows_of({1, 1});
  rows.partners = {rows_of({1, 1})};
  const RowOutputs outputs = {{1, 0, 1, 0}, {0, 1, 1, 0.5F}};  // the second finds its own, too
  const Measured right = measure_outputs(Task::embed, rows, outputs, {});
  EXPECT_EQ(value_of(right, "accuracy"), 1);
  const RowOutputs crossed = {{1, 0, 0, 1}, {0, 1, 1, 0}};
  const Measured wrong = measure_outputs(Task::embed, rows, crossed, {});
  EXPECT_EQ(value_of(wrong, "accuracy"), 0);
  EXPECT_EQ(value_of(wrong, "mrr"), 0.5);
}

}  // namespace
}  // namespace headroom
