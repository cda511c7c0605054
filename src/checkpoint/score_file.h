// scores.json beside a checkpoint's weights: accuracy, or what else a task is judged by, and cost
// at each budget, as `eval --save` measured them. The server hands them to its page; they are not
// part of the model.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "budget/score.h"

namespace headroom {

struct SavedScores {
  std::string data;  // what it was measured on, "agnews:test"
  std::string precision = "fp32";
  std::string date;                // "2026-11-15", UTC
  std::vector<BudgetScore> curve;  // at least one, budgets rising, all on the same examples
};

// Nothing when the checkpoint has none. Throws ErrorCode::bad_model when the file is damaged.
std::optional<SavedScores> read_scores(const std::filesystem::path& checkpoint);

// Replaces what was there, in the order of the budgets; of equal budgets the first is kept. Atomic.
void write_scores(const std::filesystem::path& checkpoint, SavedScores scores);

}  // namespace headroom
