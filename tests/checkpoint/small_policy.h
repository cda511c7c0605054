// A policy made by hand, with rung zero and the full model.
#pragma once

#include <utility>
#include <vector>

#include "budget/ladder/policy.h"

namespace headroom::testing {

inline Policy two_rungs(std::vector<ScoreCalibration> temperatures) {
  Policy policy;
  policy.temperatures = std::move(temperatures);
  policy.rungs = {{0, {}}, {1, {}}};
  policy.levels = {{{0.9}, {1, 0.3}, 0.99, 0.9, 0.3}};
  policy.promised = 0.98;
  policy.precision = "fp32";
  policy.date = "2026-01-02";
  return policy;
}

}  // namespace headroom::testing
