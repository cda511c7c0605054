// What choices show, from choices made up for the purpose; and how memory is measured.
#include "experiments/adaptive/choice_analysis.h"

#include <gtest/gtest.h>

#include "budget/cost.h"
#include "model/controller.h"
#include "train/peak_memory.h"
#include "train/tiny.h"

namespace headroom::experiments::adaptive {
namespace {
using namespace testing;

// Six rows of ten tokens in two layers: s rises from 0.1 to 0.6, and every layer runs 2 of 4 heads.
ChoiceEvaluation six_rows() {
  ChoiceEvaluation result;
  result.total = {0.5, 0.7, 6};
  result.tokens = torch::full({6}, 10, torch::kInt64);
  result.labels = torch::tensor({0, 0, 0, 1, 1, 1}, torch::kInt64);
  result.share = torch::tensor({0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F}).unsqueeze(-1).repeat({1, 2});
  result.heads = torch::full({6, 2}, 2, torch::kInt64);
  return result;
}

TEST(ChoicePoint, CountsWholeHeadsAndTheRealShareApart) {
  ModelShape shape = tiny_shape();
  shape.controller = 8;
  const Point point = choice_point(shape, 1.0, six_rows());
  EXPECT_EQ(point.active_heads, 0.5);
  EXPECT_NEAR(*point.s_mean, 0.35, 1e-6);
  EXPECT_EQ(point.model_macs, cost_of_heads(shape, 4, 10).model_macs);
  ModelShape plain = shape;
  plain.controller = 0;
  EXPECT_NEAR(*point.published_fraction,
              published_attention_macs(shape, 0.35, 10) / published_attention_macs(plain, 1.0, 10),
              1e-6);
}

TEST(SharesByClass, AreMeansOfEachLayerAndClass) {
  const ClassShares shares = shares_by_class(six_rows(), 2);
  EXPECT_NEAR(shares.mean[0][0], 0.2, 1e-6);
  EXPECT_NEAR(shares.mean[1][1], 0.5, 1e-6);
  EXPECT_NEAR(shares.deviation[0][0], 0.1, 1e-6);
}

TEST(SharesByDifficulty, RiseWithTheLossOfTheOtherModel) {
  const torch::Tensor loss = torch::tensor({0.1F, 0.3F, 0.2F, 0.9F, 1.5F, 4.0F});
  const Difficulty found = shares_by_difficulty(six_rows(), loss);
  EXPECT_GT(found.share_and_loss.value, 0.9);
  EXPECT_EQ(found.share_and_length->value, 0) << "all have ten tokens";
  ASSERT_EQ(found.thirds.size(), 3U);
  EXPECT_NEAR(found.thirds[0].s_mean, 0.2, 1e-6) << "rows 1 and 3";
  EXPECT_NEAR(found.thirds[2].s_mean, 0.55, 1e-6);
}

// A mix of one and two heads, as the average asks; nothing is rounded away.
TEST(MatchedAblation, RunsTheAskedNumberOfHeadsOnAverage) {
  torch::manual_seed(1);
  const HeadRequest asked{torch::full({4000}, 0.9), torch::rand({4000, 8})};
  ChoiceOverride override;
  override.heads = {1.3, 4.0};
  const torch::Tensor first = heads_needed(overruled(asked, override, 0).share, 8);
  EXPECT_EQ(first.min().item<int64_t>(), 1);
  EXPECT_EQ(first.max().item<int64_t>(), 2);
  EXPECT_NEAR(first.to(torch::kFloat64).mean().item<double>(), 1.3, 0.03);
  const torch::Tensor second = heads_needed(overruled(asked, override, 1).share, 8);
  EXPECT_TRUE((second == 4).all().item<bool>());
}

TEST(MatchedAblation, RandomIdentityKeepsTheNumberOfHeads) {
  torch::manual_seed(1);
  const HeadRequest asked{torch::full({50}, 0.3), torch::rand({50, 8})};
  ChoiceOverride override;
  override.random_heads = true;
  const HeadRequest random = overruled(asked, override, 0);
  const torch::Tensor counts = heads_needed(asked.share, 8);
  const torch::Tensor kept = mask_of_best(random.relevance, heads_needed(random.share, 8));
  EXPECT_TRUE(torch::equal(kept.sum(-1).to(torch::kInt64), counts));
  EXPECT_FALSE(torch::equal(kept, mask_of_best(asked.relevance, counts)));
}

TEST(ValidationCurve, LeavesLossesOut) {
  const std::vector<CurvePoint> curve =
      validation_curve_of("{\"step\":1,\"loss\":2}\n{\"step\":2,\"validation\":0.5}\n");
  ASSERT_EQ(curve.size(), 1U);
  EXPECT_EQ(curve[0].step, 2);
}

TEST(PeakBytes, AreThoseAliveAtOnce) {
  constexpr int64_t floats = 1 << 18;
  const auto one_after_another = [] {
    for (int i = 0; i < 3; ++i) torch::ones({floats});
  };
  const auto together = [] {
    const torch::Tensor a = torch::ones({floats});
    const torch::Tensor b = torch::ones({floats});
    const torch::Tensor c = torch::ones({floats});
  };
  EXPECT_EQ(peak_bytes(one_after_another), 4 * floats);
  EXPECT_EQ(peak_bytes(together), 3 * 4 * floats);
}

}  // namespace
}  // namespace headroom::experiments::adaptive
