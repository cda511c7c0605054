#include "experiments/runs.h"

#include <fmt/format.h>

#include <algorithm>

namespace headroom {
namespace {

constexpr int64_t largest_size = int64_t{1} << 31;  // of anything in a shape; far above any model

JsonFields fields_of_run(const Json& run) {
  return {run, ErrorCode::bad_data, "run"};
}

JsonFields shape_fields(const Json& run) {
  return {fields_of_run(run).object("shape"), ErrorCode::bad_data, "shape of a run"};
}

JsonFields arm_fields(const Json& run, const std::string& arm) {
  const JsonFields arms(fields_of_run(run).object("arms"), ErrorCode::bad_data, "arms of a run");
  return {arms.object(arm), ErrorCode::bad_data, fmt::format("arm {} of a run", arm)};
}

}  // namespace

ModelShape shape_of_run(const Json& run) {
  const JsonFields fields = shape_fields(run);
  const auto size = [&](const char* key) { return fields.integer(key, 1, largest_size); };
  ModelShape shape;
  shape.layers = size("layers");
  shape.width = size("width");
  shape.heads = size("heads");
  shape.ffn = size("ffn");
  shape.positions = size("max_tokens");
  shape.vocabulary = size("vocabulary");
  shape.labels = size("labels");
  return shape;
}

GateParameters gates_of_run(const Json& run, const std::string& arm) {
  const JsonFields shape = shape_fields(run);
  const JsonFields gates(arm_fields(run, arm).object("gates"), ErrorCode::bad_data,
                         fmt::format("gates of arm {}", arm));
  return {shape.integer("layers", 1, largest_size), shape.integer("heads", 1, largest_size),
          gates.array("offset").get<std::vector<double>>(),
          gates.array("slope").get<std::vector<double>>()};
}

UnitOrder order_of_run(const Json& run, const std::string& arm) {
  const Json& names = arm_fields(run, arm).array("order");
  return parse_units(names.get<std::vector<std::string>>(), shape_of_run(run));
}

const Json* find_point(const Json& run, const std::string& arm, double budget, const char* list) {
  const Json& arms = run.at("arms");
  if (!arms.contains(arm) || !arms.at(arm).contains(list)) return nullptr;
  for (const Json& point : arms.at(arm).at(list)) {
    if (point.at("budget").get<double>() == budget) return &point;
  }
  return nullptr;
}

std::vector<double> values_of(const Runs& runs, const std::string& arm, double budget,
                              const char* key, const char* list) {
  std::vector<double> values;
  for (const Json& run : runs) {
    const Json* point = find_point(run, arm, budget, list);
    if (point != nullptr && point->contains(key)) values.push_back(point->at(key).get<double>());
  }
  return values;
}

std::vector<double> budgets_of(const Runs& runs) {
  std::vector<double> budgets;
  for (const Json& run : runs) {
    for (const Json& arm : run.at("arms")) {
      for (const Json& point : arm.at("points")) {
        budgets.push_back(point.at("budget").get<double>());
      }
    }
  }
  std::sort(budgets.begin(), budgets.end());
  budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
  return budgets;
}

}  // namespace headroom
