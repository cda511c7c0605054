// The `eval` verb with the torch engine, as a function.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "budget/score.h"

namespace headroom {
inline namespace train {

struct EvalRequest {
  std::filesystem::path model;
  std::string data;  // SPEC; empty for a synthetic model: fresh test rows of its own task
  std::filesystem::path data_dir;
  std::vector<double> budgets;
  int threads = 0;
  std::string device = "cpu";
  bool bf16 = false;  // on a GPU: matrix products in bf16
};

std::vector<BudgetScore> evaluate_checkpoint(const EvalRequest& request);

}  // namespace train
}  // namespace headroom
