// bench on texts as people write them: what --budget auto and rung zero take, beside flat budgets.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/progress.h"
#include "budget/bench_cell.h"
#include "checkpoint/config.h"
#include "headroom/types.h"

namespace headroom {

inline constexpr size_t most_benched_texts = 256;

// Whether a budget's time depends on what texts say: bench then needs some.
inline bool depends_on_texts(const Budget& budget) {
  return budget.automatic || budget.fraction == 0;
}

// The first texts of `file`, one a line (of a model of pairs both with a tab between them), in
// batches of each size; tokenising included. A cell's times are those of a batch, its `tokens` the
// mean length. settings.budgets and settings.tokens do not count. Throws ErrorCode::usage when the
// linked engine has no ladders, or the model no policy.
std::vector<BenchCell> bench_texts(const std::filesystem::path& model, const ModelConfig& config,
                                   const BenchSettings& settings, std::vector<Budget> budgets,
                                   const std::string& file, ProgressSink& progress);

}  // namespace headroom
