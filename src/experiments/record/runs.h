// Numbers from the records of an experiment, over its seeds.
#pragma once

#include <string>
#include <vector>

#include "budget/gates.h"
#include "budget/unit_order.h"
#include "experiments/record/record.h"

namespace headroom::experiments {

// These throw ErrorCode::bad_data where the arm does not hold what they read.
GateParameters gates_of(const Record& run, const std::string& arm);
// Throws ErrorCode::bad_model where the units are not those of the run's shape.
UnitOrder order_of(const Record& run, const std::string& arm);

using PointList = std::vector<Point> ArmRecord::*;

// The arm's point at this budget, or null where the run has none.
const Point* find_point(const Record& run, const std::string& arm, double budget,
                        PointList list = &ArmRecord::points);

// A field of such points, over the seeds that have it.
std::vector<double> values_of(const Runs& runs, const std::string& arm, double budget,
                              PointField field, PointList list = &ArmRecord::points);

// What `number(arm)` (an optional double) gives, over the seeds that have the arm and the number.
template <typename Number>
std::vector<double> numbers_of(const Runs& runs, const std::string& arm, const Number& number) {
  std::vector<double> values;
  for (const Record& run : runs) {
    const ArmRecord* found = run.find(arm);
    if (found == nullptr) continue;
    if (const std::optional<double> value = number(*found)) values.push_back(*value);
  }
  return values;
}

// `a` at budget `at` minus `b` at budget `other`, over the seeds that have both.
std::vector<double> paired(const Runs& runs, const std::string& a, double at, const std::string& b,
                           double other, PointField field = &Point::accuracy);

// Every budget at which some arm has a point, ascending.
std::vector<double> budgets_of(const Runs& runs);

}  // namespace headroom::experiments
