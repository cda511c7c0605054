// budget/gates.h has the same arithmetic in plain doubles: it is the reference here.
#include "model/head_gates.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace headroom {
namespace {

GateParameters random_parameters(uint64_t seed, bool shared) {
  Random random{seed};
  GateParameters gates{3, 5, std::vector<double>(15), std::vector<double>(shared ? 1 : 15)};
  for (double& offset : gates.offset) offset = static_cast<float>(2 * random.normal());
  for (double& slope : gates.slope) slope = static_cast<float>(2 * random.normal());
  return gates;
}

class SlopeKinds : public ::testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(HeadGates, SlopeKinds, ::testing::Bool(), [](const auto& kind) {
  return kind.param ? "SharedSlope" : "FreeSlopes";
});

TEST_P(SlopeKinds, ValuesAreThoseOfThePlainArithmetic) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const GateParameters plain = random_parameters(seed, GetParam());
    const HeadGates gates = gates_from(plain, torch::kCPU);
    for (const double b : {0.001, 0.01, 0.1, 0.25, 0.5, 0.77, 0.99, 0.999}) {
      const torch::Tensor values = gates.values(b).flatten();
      const std::vector<double> expected = plain.values(b);
      for (int64_t i = 0; i < values.numel(); ++i) {
        EXPECT_NEAR(values[i].item<double>(), expected[static_cast<size_t>(i)], 1e-6) << "b " << b;
      }
    }
  }
}

TEST_P(SlopeKinds, ParametersComeBackAsTheyWent) {
  const GateParameters plain = random_parameters(1, GetParam());
  const GateParameters back = gates_from(plain, torch::kCPU).parameters();
  EXPECT_EQ(back.layers, plain.layers);
  EXPECT_EQ(back.heads, plain.heads);
  EXPECT_EQ(back.offset, plain.offset);
  EXPECT_EQ(back.slope, plain.slope);
}

TEST_P(SlopeKinds, FreshGatesHaveThatManySlopes) {
  const GateParameters gates = fresh_gates(3, 5, !GetParam(), 1, torch::kCPU).parameters();
  EXPECT_EQ(gates.shared_slope(), GetParam());
  EXPECT_EQ(gates.offset.size(), 15U);
}

TEST_P(SlopeKinds, EveryParameterGetsAGradient) {
  HeadGates gates = fresh_gates(3, 5, !GetParam(), 1, torch::kCPU);
  gates.offset.requires_grad_(true);
  gates.slope.requires_grad_(true);
  gates.values(0.3).sum().backward();
  EXPECT_TRUE((gates.offset.grad() > 0).all().item<bool>());
  EXPECT_TRUE((gates.slope.grad() < 0).all().item<bool>()) << "logit(0.3) is negative";
}

TEST(HeadGates, BudgetOneBypassesTheGates) {
  EXPECT_FALSE(fresh_gates(2, 4, false, 1, torch::kCPU).values(1.0).defined());
}

TEST(HeadGates, FreshGatesStartNearTheBudget) {
  const HeadGates gates = fresh_gates(8, 16, false, 3, torch::kCPU);
  for (const double b : {0.2, 0.5, 0.8}) {
    EXPECT_NEAR(gates.values(b).mean().item<double>(), b, 0.02);
  }
}

TEST(HeadGates, FreshGatesAreNeverTied) {
  const GateParameters gates = fresh_gates(4, 8, false, 1, torch::kCPU).parameters();
  for (size_t i = 0; i < gates.offset.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_NE(gates.offset[i], gates.offset[j]);
  }
}

TEST(HeadGates, FreshGatesDependOnTheSeedAlone) {
  const auto offsets = [](uint64_t seed) {
    return fresh_gates(2, 4, false, seed, torch::kCPU).parameters().offset;
  };
  torch::manual_seed(1);
  const auto first = offsets(7);
  torch::manual_seed(2);
  EXPECT_EQ(offsets(7), first);
  EXPECT_NE(offsets(8), first);
}

}  // namespace
}  // namespace headroom
