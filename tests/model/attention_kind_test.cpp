// The kinds of attention of 2403.01643 against what its argument promises.
#include <gtest/gtest.h>

#include "model/attention.h"
#include "model/random_models.h"
#include "support.h"

namespace headroom {
namespace {

using testing::random_tensor;

constexpr int64_t T = 7;
constexpr int64_t D = 12;

Linear random_linear(int64_t in, int64_t out, Random& random) {
  return {random_tensor({out, in}, 0.5, random), torch::zeros({out})};
}

AttentionWeights random_attention(AttentionKind kind, int64_t heads, Random& random) {
  AttentionWeights weights;
  weights.kind = kind;
  weights.heads = heads;
  weights.query = random_linear(D, D, random);
  weights.key = random_linear(D, D, random);
  weights.value = random_linear(D, D, random);
  if (has_mixing(kind)) weights.mixing = random_tensor({T + 3, T + 3}, 0.5, random);
  weights.output = random_linear(D, D, random);
  return weights;
}

torch::Tensor attend(const AttentionWeights& weights, const torch::Tensor& x,
                     const torch::Tensor& key_bias = {}) {
  return attention(weights, x, key_bias, {}, 0.0);
}

double difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

TEST(AttentionKind, OneHeadNeedsNoValueProjection) {
  Random random{1};
  const torch::Tensor x = random_tensor({2, T, D}, 1.0, random);
  const AttentionWeights standard = random_attention(AttentionKind::standard, 1, random);
  AttentionWeights folded = standard;
  folded.kind = AttentionKind::optimized;
  folded.output.weight = torch::matmul(standard.output.weight, standard.value.weight);
  EXPECT_LT(difference(attend(folded, x), attend(standard, x)), 1e-5);
}

TEST(AttentionKind, OneHeadNeedsNoKeyProjectionEither) {
  Random random{2};
  const torch::Tensor x = random_tensor({2, T, D}, 1.0, random);
  const AttentionWeights optimized = random_attention(AttentionKind::optimized, 1, random);
  AttentionWeights folded = optimized;
  folded.kind = AttentionKind::efficient;
  folded.query.weight = torch::matmul(optimized.key.weight.t(), optimized.query.weight);
  EXPECT_LT(difference(attend(folded, x), attend(optimized, x)), 1e-5);
}

TEST(AttentionKind, SuperWithTheIdentityIsEfficient) {
  Random random{3};
  const torch::Tensor x = random_tensor({2, T, D}, 1.0, random);
  AttentionWeights weights = random_attention(AttentionKind::super, 3, random);
  weights.mixing = torch::eye(T + 3);
  AttentionWeights efficient = weights;
  efficient.kind = AttentionKind::efficient;
  efficient.mixing = torch::Tensor();
  EXPECT_LT(difference(attend(weights, x), attend(efficient, x)), 1e-6);
  weights.mixing = 2 * torch::eye(T + 3);
  EXPECT_GT(difference(attend(weights, x), attend(efficient, x)), 0.1) << "it is read at all";
}

TEST(AttentionKind, PaddingReachesNoTokenThroughTheMixing) {
  Random random{4};
  const AttentionWeights weights = random_attention(AttentionKind::super, 3, random);
  const torch::Tensor x = random_tensor({1, T, D}, 1.0, random);
  const torch::Tensor longer = torch::cat({x, random_tensor({1, 2, D}, 9.0, random)}, 1);
  torch::Tensor bias = torch::zeros({1, 1, 1, T + 2});
  bias.narrow(3, T, 2).fill_(-std::numeric_limits<float>::infinity());
  EXPECT_LT(difference(attend(weights, longer, bias).narrow(1, 0, T), attend(weights, x)), 1e-5);
}

TEST(AttentionKind, SharesAreTakenOverKeys) {
  // Every key alike: each query gets the mean of the values, however many queries there are.
  Random random{5};
  for (const AttentionKind kind : {AttentionKind::optimized, AttentionKind::efficient}) {
    AttentionWeights weights = random_attention(kind, 3, random);
    weights.query.weight.zero_();
    const torch::Tensor x = random_tensor({1, T, D}, 1.0, random);
    const torch::Tensor mean = x.mean(1, true).expand({1, T, D});
    const torch::Tensor expected = torch::matmul(mean, weights.output.weight.t());
    EXPECT_LT(difference(attend(weights, x), expected), 1e-5);
  }
}

TEST(AttentionKind, AShorterInputUsesTheLeadingBlockOfTheMixing) {
  Random random{6};
  const AttentionWeights weights = random_attention(AttentionKind::super, 3, random);
  AttentionWeights cut = weights;
  cut.mixing = weights.mixing.narrow(0, 0, T).narrow(1, 0, T).clone();
  const torch::Tensor x = random_tensor({2, T, D}, 1.0, random);
  EXPECT_TRUE(torch::equal(attend(cut, x), attend(weights, x)));
}

TEST(AttentionKind, AnInputLongerThanTheMixingIsRefused) {
  Random random{7};
  const AttentionWeights weights = random_attention(AttentionKind::super, 3, random);
  const torch::Tensor x = random_tensor({1, T + 4, D}, 1.0, random);
  testing::expect_error(ErrorCode::bad_data,
                        "11 tokens is longer than the 10 that this model mixes",
                        [&] { attend(weights, x); });
}

TEST(AttentionKind, StandardMayHaveAMixingMatrixToo) {
  Random random{8};
  const torch::Tensor x = random_tensor({2, T, D}, 1.0, random);
  const AttentionWeights standard = random_attention(AttentionKind::standard, 3, random);
  AttentionWeights mixing = standard;
  mixing.mixing = torch::eye(T);
  EXPECT_LT(difference(attend(mixing, x), attend(standard, x)), 1e-6);
  mixing.mixing = 2 * torch::eye(T);
  EXPECT_GT(difference(attend(mixing, x), attend(standard, x)), 0.1);
}

// How much the first `known` outputs of an attention move when what comes after them changes.
template <typename Attention>
double leak(const Attention& run, int64_t known, Random& random) {
  const torch::Tensor x = random_tensor({1, T, D}, 1.0, random);
  const torch::Tensor future = random_tensor({1, T - known, D}, 1.0, random);
  const torch::Tensor other = torch::cat({x.narrow(1, 0, known), future}, 1);
  return difference(run(x).narrow(1, 0, known), run(other).narrow(1, 0, known));
}

TEST(CausalAttention, NoTokenSeesItsFuture) {
  Random random{9};
  for (const AttentionKind kind : all_attention_kinds) {
    AttentionWeights weights = random_attention(kind, 3, random);
    weights.causal = true;
    for (int64_t known = 1; known < T; ++known) {
      const double moved = leak([&](const auto& x) { return attend(weights, x); }, known, random);
      EXPECT_EQ(moved, 0) << attention_name(kind) << " at " << known;
    }
  }
}

TEST(CausalAttention, AMixingMatrixThatIsNotLowerTriangularWouldLeak) {
  // The values are mixed by the whole matrix before a causal attention sees them: what the test
  // above must be able to find.
  Random random{10};
  const AttentionWeights super = random_attention(AttentionKind::super, 3, random);
  AttentionWeights causal = super;
  causal.kind = AttentionKind::standard;
  causal.causal = true;
  causal.key.weight = torch::eye(D);
  causal.value.weight = torch::eye(D);
  causal.mixing = torch::Tensor();
  const auto leaky = [&](const torch::Tensor& x) {
    return attend(causal, torch::matmul(super.mixing.narrow(0, 0, T).narrow(1, 0, T), x));
  };
  EXPECT_GT(leak(leaky, 3, random), 0.01);
}

TEST(CausalAttention, TokenByTokenIsTheSameAsAtOnce) {
  Random random{11};
  for (const AttentionKind kind : all_attention_kinds) {
    AttentionWeights weights = random_attention(kind, 3, random);
    weights.causal = true;
    const torch::Tensor x = random_tensor({2, T, D}, 1.0, random);
    const torch::Tensor whole = attend(weights, x);
    AttentionCache cache;
    torch::Tensor steps = attend_next(weights, x.narrow(1, 0, 3), cache);
    for (int64_t i = 3; i < T; ++i) {
      steps = torch::cat({steps, attend_next(weights, x.narrow(1, i, 1), cache)}, 1);
    }
    EXPECT_LT(difference(steps, whole), 1e-5) << attention_name(kind);
  }
}

TEST(CausalAttention, EfficientKeepsOneTensorWhereTheOthersKeepTwo) {
  Random random{12};
  for (const AttentionKind kind : all_attention_kinds) {
    AttentionWeights weights = random_attention(kind, 3, random);
    AttentionCache cache;
    attend_next(weights, random_tensor({1, 4, D}, 1.0, random), cache);
    EXPECT_EQ(cache.length(), 4);
    EXPECT_EQ(cache.tensors(), kind == AttentionKind::efficient ? 1 : 2) << attention_name(kind);
  }
}

TEST(CrossAttention, OverTheInputItselfIsAttention) {
  Random random{13};
  for (const AttentionKind kind : all_attention_kinds) {
    const AttentionWeights weights = random_attention(kind, 3, random);
    const torch::Tensor x = random_tensor({2, T, D}, 1.0, random);
    EXPECT_TRUE(torch::equal(cross_attention(weights, x, x, {}, {}, 0.0), attend(weights, x)));
  }
}

TEST(CrossAttention, OnlyStandardCanReadAnInputOfAnotherWidth) {
  Random random{14};
  const torch::Tensor x = random_tensor({1, T, D}, 1.0, random);
  const torch::Tensor memory = random_tensor({1, 4, D + 2}, 1.0, random);
  AttentionWeights standard = random_attention(AttentionKind::standard, 3, random);
  standard.key = random_linear(D + 2, D, random);
  standard.value = random_linear(D + 2, D, random);
  EXPECT_EQ(cross_attention(standard, x, memory, {}, {}, 0.0).sizes(), x.sizes());
  for (const AttentionKind kind :
       {AttentionKind::optimized, AttentionKind::efficient, AttentionKind::super}) {
    testing::expect_error(ErrorCode::usage, "it is 14 wide and the model 12", [&] {
      cross_attention(random_attention(kind, 3, random), x, memory, {}, {}, 0.0);
    });
  }
}

}  // namespace
}  // namespace headroom
