// The verbs' engine in headroom-train: libtorch.
#include <fmt/format.h>

#include <memory>

#include "base/precision.h"
#include "budget/fraction.h"
#include "cli/app.h"
#include "cli/engines/engine.h"
#include "train/evaluate/checkpoint.h"
#include "train/evaluate/predictor.h"
#include "train/evaluate/torch_bench.h"

namespace headroom {
namespace {

// bf16 is for GPUs: libtorch's is slower than its fp32 on a CPU.
void require_precision(Precision precision, const std::string& device) {
  const std::string name(precision_table.name(precision));
  if (device == "cuda") {
    require_supported("--precision", name, {"fp32", "bf16"});
  } else {
    require_supported("--precision", name, {"fp32"});
  }
}

double flat_fraction(const Budget& budget) {
  if (!budget.automatic && budget.fraction > 0) return budget.fraction;
  throw Error(ErrorCode::usage, "read options",
              fmt::format("budget {} needs the native engine", spending_name(budget)));
}

}  // namespace

void require_task(Task /*task*/, const std::string& /*engine*/) {}

Precision asked_precision(const std::filesystem::path& /*model*/, const ModelConfig& /*config*/,
                          const std::optional<Precision>& asked) {
  return asked.value_or(Precision::fp32);
}

// libtorch's own threads share the work inside a text.
TextEngine open_text_engine(const EngineRequest& request, const ModelConfig& /*config*/,
                            const Budget& budget) {
  require_precision(request.precision, "cpu");
  if (budget.latency_ms) {
    throw Error(ErrorCode::usage, "read options", "--latency-ms needs the native engine");
  }
  const auto predictor = std::make_shared<Predictor>(request.model, flat_fraction(budget),
                                                     request.threads, request.device);
  predictor->predict({"warm up"});  // libtorch's first pass takes ten times the second
  return {1, 1, [predictor](std::span<const Text> texts) {
            std::vector<Answer> answers;
            for (const Text& text : texts) answers.push_back(predictor->predict(text));
            return answers;
          }};
}

std::vector<BudgetScore> score_model(const EngineRequest& request, const ModelConfig& /*config*/,
                                     const std::string& data, const std::filesystem::path& data_dir,
                                     const std::vector<Budget>& budgets) {
  require_precision(request.precision, request.device);
  std::vector<double> fractions;
  for (const Budget& budget : budgets) fractions.push_back(flat_fraction(budget));
  return evaluate_checkpoint({request.model, data, data_dir, fractions, request.threads,
                              request.device, request.precision == Precision::bf16});
}

std::vector<BenchCell> bench_model(const std::filesystem::path& model,
                                   const ModelConfig& /*config*/, const BenchSettings& settings,
                                   ProgressSink& progress) {
  for (const std::string& precision : settings.precisions) {
    require_precision(precision_table.parse(precision), settings.device);
  }
  if (settings.cuda_graphs && settings.device != "cuda") {
    throw Error(ErrorCode::usage, "read options", "--cuda-graphs needs --device cuda");
  }
  return bench_checkpoint(model, settings, progress);
}

}  // namespace headroom
