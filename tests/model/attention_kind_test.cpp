// The kinds of attention of 2403.01643 against what its argument promises.
#include <gtest/gtest.h>

#include "model/forward.h"
#include "model/random_models.h"

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
  weights.mixing = random_tensor({T + 3, T + 3}, 0.5, random);
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

}  // namespace
}  // namespace headroom
