// What predict, eval and bench ask of an engine. `headroom` links the native one, `headroom-train`
// libtorch's; the verbs are the same files in both.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
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
  std::string precision = "fp32";
  int threads = 0;  // 0: one per core
  std::string device = "cpu";
};

// Classifies in one thread. A text gets the same answer whatever it goes with.
class TextClassifier {
 public:
  virtual ~TextClassifier() = default;
  virtual std::vector<Answer> classify(std::span<const Text> texts) = 0;
};

// A model opened to classify texts, in as many threads as were asked for.
class Classifier {
 public:
  // Does part [begin, end) of a call.
  using Work = std::function<void(TextClassifier&, size_t begin, size_t end)>;

  virtual ~Classifier() = default;
  virtual const ModelConfig& config() const = 0;
  virtual int threads() const = 0;
  // Splits [0, count) into parts that the threads do; returns when all are done.
  virtual void share(size_t count, const Work& work) = 0;
};

// Each throws ErrorCode::usage for what the linked engine does not have.
std::unique_ptr<Classifier> make_classifier(const EngineRequest& request, const Budget& budget);
std::vector<BudgetScore> score_model(const EngineRequest& request, const std::string& data,
                                     const std::filesystem::path& data_dir,
                                     const std::vector<double>& budgets);
std::vector<BenchCell> bench_model(const std::filesystem::path& model,
                                   const BenchSettings& settings, ProgressSink& progress);

}  // namespace headroom
