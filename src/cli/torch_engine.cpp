// The verbs' engine in headroom-train: libtorch.
#include "cli/app.h"
#include "cli/engine.h"
#include "train/evaluate/checkpoint.h"
#include "train/evaluate/predictor.h"
#include "train/evaluate/torch_bench.h"

namespace headroom {
namespace {

// libtorch's own threads share the work inside a text.
class TorchClassifier : public Classifier, private TextClassifier {
 public:
  TorchClassifier(const EngineRequest& request, double budget)
      : predictor_(request.model, budget, request.threads, request.device) {
    predictor_.predict({"warm up"});  // libtorch's first pass takes ten times the second
  }

  const ModelConfig& config() const override { return predictor_.config(); }

  int threads() const override { return 1; }

  void share(size_t count, const Work& work) override {
    for (size_t i = 0; i < count; ++i) work(*this, i, i + 1);
  }

 private:
  std::vector<Answer> classify(std::span<const Text> texts) override {
    std::vector<Answer> answers;
    for (const Text& text : texts) answers.push_back(predictor_.predict(text));
    return answers;
  }

  Predictor predictor_;
};

// bf16 is for GPUs: libtorch's is slower than its fp32 on a CPU.
void require_precision(const std::string& precision, const std::string& device) {
  if (device == "cuda") {
    require_supported("--precision", precision, {"fp32", "bf16"});
  } else {
    require_supported("--precision", precision, {"fp32"});
  }
}

}  // namespace

std::unique_ptr<Classifier> make_classifier(const EngineRequest& request, const Budget& budget) {
  require_supported("--precision", request.precision, {"fp32"});
  if (budget.latency_ms) {
    throw Error(ErrorCode::usage, "read options", "--latency-ms needs the native engine");
  }
  return std::make_unique<TorchClassifier>(request, budget.fraction);
}

std::vector<BudgetScore> score_model(const EngineRequest& request, const std::string& data,
                                     const std::filesystem::path& data_dir,
                                     const std::vector<double>& budgets) {
  require_precision(request.precision, request.device);
  return evaluate_checkpoint({request.model, data, data_dir, budgets, request.threads,
                              request.device, request.precision == "bf16"});
}

std::vector<BenchCell> bench_model(const std::filesystem::path& model,
                                   const BenchSettings& settings, ProgressSink& progress) {
  for (const std::string& precision : settings.precisions) {
    require_precision(precision, settings.device);
  }
  if (settings.cuda_graphs && settings.device != "cuda") {
    throw Error(ErrorCode::usage, "read options", "--cuda-graphs needs --device cuda");
  }
  return bench_checkpoint(model, settings, progress);
}

}  // namespace headroom
