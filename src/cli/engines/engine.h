// What predict, eval and bench ask of an engine. `headroom` links the native one, `headroom-train`
// libtorch's; the verbs are the same files in both.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "budget/bench_cell.h"
#include "budget/score.h"
#include "checkpoint/config.h"
#include "headroom/types.h"

namespace headroom {

struct EngineRequest {
  std::filesystem::path model;
  std::string engine;  // "native", "torch" or empty: whichever runs the model
  Precision precision = Precision::fp32;
  int threads = 0;  // 0: one per core
  std::string device = "cpu";
  AnswerOptions answer;                     // what texts are asked for
  std::filesystem::path packed_cache = {};  // EngineOptions::packed_cache
};

// An engine opened to answer texts at one budget. A text gets the same answer whatever it goes
// with.
struct TextEngine {
  int threads = 1;   // that may call run() at the same time
  size_t batch = 1;  // texts that are best run together
  std::function<std::vector<Answer>(std::span<const Text> texts)> run;
};

// Thrown for a model that this program does not run and headroom-train does: main() starts that.
struct NeedsTraining {};

// Throws NeedsTraining unless the linked engine runs the task, or was asked for by name.
void require_task(Task task, const std::string& engine);

// What --precision means here: `asked`, or what was chosen for this machine, which is then told on
// stderr.
Precision asked_precision(const std::filesystem::path& model, const ModelConfig& config,
                          const std::optional<Precision>& asked);

// `config` is the model's. Each throws ErrorCode::usage for what the linked engine does not have.
TextEngine open_text_engine(const EngineRequest& request, const ModelConfig& config,
                            const Budget& budget);
std::vector<BudgetScore> score_model(const EngineRequest& request, const ModelConfig& config,
                                     const std::string& data, const std::filesystem::path& data_dir,
                                     const std::vector<Budget>& budgets);
std::vector<BenchCell> bench_model(const std::filesystem::path& model, const ModelConfig& config,
                                   const BenchSettings& settings, ProgressSink& progress);

}  // namespace headroom
