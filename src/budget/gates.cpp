#include "budget/gates.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "budget/selection.h"

namespace headroom {
namespace {

double sigmoid(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}

double softplus(double x) {
  return x > 30 ? x : std::log1p(std::exp(x));
}

}  // namespace

double gate_logit(double budget) {
  const double b = std::clamp(budget, gate_budget_low, gate_budget_high);
  return std::log(b / (1.0 - b));
}

double gate_value(double offset, double slope, double budget) {
  if (budget >= 1.0) return 1.0;
  return sigmoid(offset + softplus(slope) * gate_logit(budget));
}

std::vector<double> GateParameters::values(double budget) const {
  std::vector<double> gates(offset.size());
  for (size_t i = 0; i < gates.size(); ++i) {
    gates[i] = gate_value(offset[i], slope_of(static_cast<int64_t>(i)), budget);
  }
  return gates;
}

double GateParameters::mass(double budget) const {
  const std::vector<double> gates = values(budget);
  return std::accumulate(gates.begin(), gates.end(), 0.0) / static_cast<double>(gates.size());
}

HeadOrder GateParameters::order(double budget) const {
  // The argument of the sigmoid ranks as the gate does, without ties from saturation.
  std::vector<double> scores = offset;
  if (!shared_slope()) {
    for (size_t i = 0; i < scores.size(); ++i) scores[i] += softplus(slope[i]) * gate_logit(budget);
  }
  return order_by_score(scores, layers, heads);
}

double nestedness(const GateParameters& gates, const std::vector<double>& budgets) {
  std::vector<double> sorted = budgets;
  std::sort(sorted.begin(), sorted.end());
  double kept = 0;
  double total = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const Selection small = select_heads(gates.order(sorted[i]), sorted[i]);
    for (size_t j = i + 1; j < sorted.size(); ++j) {
      const Selection large = select_heads(gates.order(sorted[j]), sorted[j]);
      kept += static_cast<double>(shared_heads(small, large));
      total += static_cast<double>(small.total());
    }
  }
  return total > 0 ? kept / total : 1.0;
}

}  // namespace headroom
