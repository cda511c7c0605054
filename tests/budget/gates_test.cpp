#include "budget/gates.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "budget/selection.h"

namespace headroom {
namespace {

GateParameters random_gates(uint64_t seed, bool shared) {
  Random random{seed};
  GateParameters gates{4, 8, std::vector<double>(32), std::vector<double>(shared ? 1 : 32)};
  for (double& offset : gates.offset) offset = 2 * random.normal();
  for (double& slope : gates.slope) slope = 2 * random.normal();
  return gates;
}

TEST(Gates, NeverFallWhenTheBudgetRises) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const GateParameters gates = random_gates(seed, seed % 2 == 0);
    std::vector<double> before = gates.values(0.001);
    for (double b = 0.02; b <= 1.0; b += 0.02) {
      const std::vector<double> now = gates.values(b);
      for (size_t i = 0; i < now.size(); ++i) ASSERT_GE(now[i], before[i]) << "b = " << b;
      before = now;
    }
  }
}

TEST(Gates, AreExactlyOneAtBudgetOne) {
  for (const double gate : random_gates(1, true).values(1.0)) EXPECT_EQ(gate, 1.0);
}

TEST(Gates, EqualTheBudgetWithUnitSlopeAndNoOffset) {
  for (const double b : {0.05, 0.3, 0.5, 0.9}) {
    EXPECT_NEAR(gate_value(0.0, unit_slope, b), b, 1e-12);
  }
}

TEST(Gates, MassIsTheMeanGate) {
  const GateParameters gates{1, 2, {0.0, 100.0}, {unit_slope}};
  EXPECT_NEAR(gates.mass(0.5), 0.75, 1e-12);
}

TEST(Gates, HugeParametersStayFinite) {
  EXPECT_EQ(gate_value(1e6, 1e6, 0.5), 1.0);
  EXPECT_EQ(gate_value(-1e6, -1e6, 0.5), 0.0);
}

TEST(Gates, SharedSlopeIsNestedAtEveryBudget) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(nestedness(random_gates(seed, true), {0.2, 0.4, 0.6, 0.8}), 1.0);
  }
}

TEST(Gates, FreeSlopesCanCrossAndTheFigureSaysSo) {
  // Head 0: offset 0.5, softplus slope 0.5; head 1: offset 0, softplus slope 3. At b = 0.4 head 0
  // has the larger gate, at b = 0.6 head 1 has; with one more head per layer kept the sets cross.
  const auto raw = [](double positive) { return std::log(std::expm1(positive)); };
  const GateParameters gates{1, 3, {0.5, 0.0, -9.0}, {raw(0.5), raw(3.0), raw(1.0)}};
  EXPECT_NE(gates.order(0.4), gates.order(0.6));
  EXPECT_EQ(nestedness(gates, {0.3, 0.45}), 1.0) << "same single head";
  GateParameters two = gates;
  two.heads = 2;
  two.offset = {0.5, 0.0};
  two.slope = {raw(0.5), raw(3.0)};
  EXPECT_EQ(nestedness(two, {0.4, 0.6}), 0.0) << "one head kept at both, but not the same one";
}

}  // namespace
}  // namespace headroom
