// The arithmetic of Budgeted Attention Allocation's head gates (arXiv 2605.05697), in plain
// doubles:
//   g(b) = sigmoid(offset + softplus(slope) * logit(b))
// Monotone in b for every head, because softplus is never negative. With one slope shared by all
// heads (our default) the ranking of heads is the ranking of their offsets, the same at every
// budget, so hard selections are nested. With free slopes, as published, rankings may cross.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "budget/order.h"

namespace headroom {

// Requests are clamped to this range before the logit; 1 itself bypasses the gates (all exactly 1).
inline constexpr double gate_budget_low = 0.01;
inline constexpr double gate_budget_high = 0.99;

// The raw slope whose softplus is 1: with offset 0 the gate then equals the budget, g(b) = b.
inline constexpr double unit_slope = 0.54132485461291810;

double gate_logit(double budget);  // logit of the clamped budget
double gate_value(double offset, double slope, double budget);

struct GateParameters {
  int64_t layers = 0;
  int64_t heads = 0;
  std::vector<double> offset;  // L x H, row-major
  std::vector<double> slope;   // raw; one shared value, or L x H of them

  bool shared_slope() const { return slope.size() == 1; }
  double slope_of(int64_t unit) const {
    return slope[shared_slope() ? 0 : static_cast<size_t>(unit)];
  }

  // All gates at budget b, L x H; exactly 1 everywhere when b is 1.
  std::vector<double> values(double budget) const;

  // Mean gate: the paper's soft estimate of attention cost.
  double mass(double budget) const;

  // The order in which heads come alive, judged at `budget` (irrelevant with a shared slope).
  HeadOrder order(double budget) const;
};

// Over all pairs of the given budgets b < c: the share of the heads kept at b that are kept at c
// too. 1 means nested.
double nestedness(const GateParameters& gates, const std::vector<double>& budgets);

}  // namespace headroom
