#include "experiments/record/runs.h"

#include <fmt/format.h>

#include <algorithm>

namespace headroom::experiments {
namespace {

[[noreturn]] void fail(const Record& run, const std::string& what) {
  throw Error(ErrorCode::bad_data, "read run",
              fmt::format("{} of seed {} is missing", what, run.seed));
}

const ArmRecord& arm_of(const Record& run, const std::string& arm) {
  const ArmRecord* found = run.find(arm);
  if (found == nullptr) fail(run, fmt::format("arm {}", arm));
  return *found;
}

}  // namespace

GateParameters gates_of(const Record& run, const std::string& arm) {
  const std::optional<GatesRecord>& gates = arm_of(run, arm).gates;
  if (!gates) fail(run, fmt::format("gates of arm {}", arm));
  const ShapeRecord& shape = sizes_of(run);
  return {shape.layers, shape.heads, gates->offset, gates->slope};
}

UnitOrder order_of(const Record& run, const std::string& arm) {
  const std::vector<std::string>& order = arm_of(run, arm).order;
  if (order.empty()) fail(run, fmt::format("order of arm {}", arm));
  return parse_units(order, shape_of(run));
}

const Point* find_point(const Record& run, const std::string& arm, double budget, PointList list) {
  const ArmRecord* found = run.find(arm);
  if (found == nullptr) return nullptr;
  for (const Point& point : found->*list) {
    if (point.budget == budget) return &point;
  }
  return nullptr;
}

std::vector<double> values_of(const Runs& runs, const std::string& arm, double budget,
                              PointField field, PointList list) {
  std::vector<double> values;
  for (const Record& run : runs) {
    const Point* point = find_point(run, arm, budget, list);
    if (point != nullptr && point->*field) values.push_back(*(point->*field));
  }
  return values;
}

std::vector<double> paired(const Runs& runs, const std::string& a, double at, const std::string& b,
                           double other, PointField field) {
  std::vector<double> values;
  for (const Record& run : runs) {
    const Point* first = find_point(run, a, at);
    const Point* second = find_point(run, b, other);
    if (first == nullptr || second == nullptr || !(first->*field && second->*field)) continue;
    values.push_back(*(first->*field) - *(second->*field));
  }
  return values;
}

std::vector<double> budgets_of(const Runs& runs) {
  std::vector<double> budgets;
  for (const Record& run : runs) {
    for (const NamedArm& named : run.arms) {
      for (const Point& point : named.arm.points) budgets.push_back(point.budget);
    }
  }
  std::sort(budgets.begin(), budgets.end());
  budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
  return budgets;
}

}  // namespace headroom::experiments
