// Reads runs: the per-seed result files of an experiment. A run holds the model's `shape` and its
// `arms`; an arm holds `points`, one per budget, and what it learned (`gates` or `order`).
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "budget/gates.h"
#include "budget/shape.h"
#include "budget/unit_order.h"

namespace headroom {

using Runs = std::vector<Json>;  // one per seed

// These throw ErrorCode::bad_data where the run does not hold what they read.
ModelShape shape_of_run(const Json& run);
GateParameters gates_of_run(const Json& run, const std::string& arm);
// Throws ErrorCode::bad_model where the units are not those of the run's shape.
UnitOrder order_of_run(const Json& run, const std::string& arm);

// The arm's point at this budget, or null where the run has none. `list` names another list of
// points than those on test rows.
const Json* find_point(const Json& run, const std::string& arm, double budget,
                       const char* list = "points");

// Field `key` of such points, over the seeds that have it.
std::vector<double> values_of(const Runs& runs, const std::string& arm, double budget,
                              const char* key, const char* list = "points");

// Every budget at which some arm has a point, ascending.
std::vector<double> budgets_of(const Runs& runs);

}  // namespace headroom
