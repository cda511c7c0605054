// config.json: the keys Hugging Face users know from BERT, plus one "headroom" object. A
// ModelConfig that exists is valid: everything is checked when it is read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "budget/gates.h"
#include "budget/order.h"
#include "budget/selection.h"
#include "budget/shape.h"

namespace headroom {

enum class Method { dense, budgeted, static_gates };
enum class Task { classify, synthetic };

std::string_view method_name(Method method);
std::string_view task_name(Task task);

struct ModelConfig {
  ModelShape shape;
  double dropout = 0.1;
  double layer_norm_eps = 1e-12;
  Task task = Task::classify;
  Method method = Method::dense;
  std::vector<std::string> labels;      // shape.labels of them
  std::optional<GateParameters> gates;  // budgeted and static
  double trained_budget = 1.0;          // static: the one budget the gates were trained for

  // P1's scope and P3's kind, fixed for now: the budget governs heads of standard attention.
  std::string scope() const { return "heads"; }
  std::string attention() const { return "standard"; }

  // The heads alive at `budget`. Budget 1 is every head; a smaller one needs a model that was
  // trained for it, otherwise ErrorCode::usage says how to get one.
  HeadSelection selection(double budget) const;
};

Json config_to_json(const ModelConfig& config);
ModelConfig config_from_json(const Json& json);  // throws ErrorCode::bad_model

}  // namespace headroom
