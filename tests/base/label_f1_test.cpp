#include "base/measure/label_f1.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

// Two labels, four rows.
const std::vector<float> scores = {0.9F, 0.2F, 0.8F, 0.1F, 0.3F, 0.4F, 0.6F, 0.3F};
const std::vector<float> truth = {1, 0, 0, 0, 1, 1, 1, 0};

TEST(LabelF1, MicroCountsDecisionsMacroLabels) {
  const auto counts = count_labels(scores, truth, std::vector<double>{0.5, 0.35});
  // First label: found rows 0, 1, 3, of which 0 and 3 are true; truth has 0, 2, 3.
  EXPECT_EQ(counts[0].found, 3);
  EXPECT_EQ(counts[0].truth, 3);
  EXPECT_EQ(counts[0].correct, 2);
  EXPECT_EQ(counts[1].correct, 1);
  const LabelF1 result = label_f1(counts);
  EXPECT_DOUBLE_EQ(result.macro, (2.0 / 3 + 1) / 2);
  EXPECT_DOUBLE_EQ(result.micro, 2.0 * 3 / (4 + 4));
  EXPECT_DOUBLE_EQ(result.precision, 3.0 / 4);
  EXPECT_DOUBLE_EQ(result.recall, 3.0 / 4);
}

TEST(LabelF1, BestThresholdsLieBetweenScores) {
  const std::vector<double> found = best_thresholds(scores, truth, 2);
  EXPECT_NEAR(found[0], 0.3, 1e-6) << "all four found, three true: 6/7, better than any part";
  EXPECT_NEAR(found[1], 0.35, 1e-6);
}

TEST(LabelF1, ALabelWithoutRowsKeepsTheFallback) {
  EXPECT_EQ(best_thresholds(std::vector<float>{0.9F, 0.1F}, std::vector<float>{0, 0}, 1)[0], 0.5);
}

TEST(LabelF1, EqualScoresAreFoundTogether) {
  const std::vector<float> equal = {0.5F, 0.5F, 0.1F};
  EXPECT_NEAR(best_thresholds(equal, std::vector<float>{1, 0, 0}, 1)[0], 0.3, 1e-6);
}

}  // namespace
}  // namespace headroom
