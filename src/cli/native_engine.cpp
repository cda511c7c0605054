// The verbs' engine in headroom: our own, without libtorch.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "base/interleaved.h"
#include "base/interrupt.h"
#include "base/machine.h"
#include "checkpoint/latency_file.h"
#include "cli/app.h"
#include "cli/engine.h"
#include "cli/native_model.h"
#include "cli/native_scoring.h"
#include "engine/worker_pool.h"

namespace headroom {
namespace {

constexpr int request_threads = 1;  // one text is one sequence: more threads cannot share it

// One of the pool's workers.
class WorkerClassifier : public TextClassifier {
 public:
  WorkerClassifier(Worker& worker, const Budget& budget, const std::optional<LatencyTable>& table)
      : worker_(worker), budget_(budget), table_(table) {}

  std::vector<Answer> classify(std::span<const Text> texts) override {
    const auto started = std::chrono::steady_clock::now();
    std::vector<Tokens> tokens;
    std::vector<double> fractions;
    for (const Text& text : texts) {
      tokens.push_back(tokenise(worker_.model(), text));
      const auto length = static_cast<int64_t>(tokens.back().ids.size());
      fractions.push_back(budget_.latency_ms ? table_->budget_for(*budget_.latency_ms, length)
                                             : budget_.fraction);
    }
    std::vector<Answer> answers = worker_.classify(std::span<const Tokens>(tokens), fractions);
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - started;
    for (Answer& answer : answers) {
      answer.milliseconds = taken.count();
      if (!table_) continue;
      answer.predicted_milliseconds = table_->estimate(answer.budget, answer.tokens).median_ms;
    }
    return answers;
  }

 private:
  Worker& worker_;
  const Budget& budget_;
  const std::optional<LatencyTable>& table_;
};

class NativeClassifier : public Classifier {
 public:
  NativeClassifier(const EngineRequest& request, const Budget& budget)
      : pool_(load_native(request.model, request.precision), thread_count(request.threads)),
        budget_(budget),
        table_(find_latency_table(request.model, cpu_name(), request.precision, request_threads)) {
    if (budget.latency_ms && !table_) {
      throw Error(ErrorCode::usage, "predict",
                  fmt::format("--latency-ms needs this machine's table: run headroom calibrate "
                              "--model {} --precision {}",
                              request.model.string(), request.precision));
    }
    check_budgets(pool_.model(), {budget.fraction});  // told before any text
    warm_up();
  }

  const ModelConfig& config() const override { return pool_.model().config(); }
  int threads() const override { return pool_.threads(); }

  void share(size_t count, const Work& work) override {
    pool_.share(count, [&](Worker& worker, size_t begin, size_t end) {
      WorkerClassifier classifier(worker, budget_, table_);
      work(classifier, begin, end);
    });
  }

 private:
  // Brings the weights into memory, so that the first text takes no longer than the others.
  void warm_up() {
    const Tokens input{std::vector<int32_t>(4, 0), {}};
    pool_.classify(std::span(&input, 1), 1.0);
  }

  WorkerPool pool_;
  Budget budget_;
  std::optional<LatencyTable> table_;
};

// All budgets of one precision, batch size and length, in the same rounds.
std::vector<BenchCell> bench_cells(const std::shared_ptr<const EngineModel>& model,
                                   WorkerPool& pool, const std::string& precision, int64_t batch,
                                   int64_t tokens, const BenchSettings& settings) {
  const ModelShape& shape = model->config().shape;
  const std::vector<Tokens> inputs = random_batch(shape, batch, tokens, settings.seed);
  const std::vector<double> budgets = benched_budgets(settings.budgets);
  std::vector<std::function<void()>> runs;
  runs.reserve(budgets.size());
  for (const double budget : budgets) {
    runs.emplace_back([&, budget] { pool.classify(std::span<const Tokens>(inputs), budget); });
  }
  const auto times = time_interleaved(runs, settings.warmup, settings.rounds, settings.seed);
  std::vector<BenchCell> cells;
  for (size_t i = 0; i < budgets.size(); ++i) {
    BenchCell cell;
    cell.engine = "native";
    cell.precision = precision;
    cell.budget = budgets[i];
    cell.batch = batch;
    cell.tokens = tokens;
    cell.threads = settings.threads;
    set_cost(cell, shape, model->config().selection(budgets[i]));
    if (model->config().adaptive()) {  // what these inputs chose, not the most they might
      const std::vector<int64_t> heads =
          heads_of(pool.classify(std::span<const Tokens>(inputs), budgets[i]), shape);
      const std::vector<int64_t> lengths(inputs.size(), tokens);
      cell.macs_fraction = choice_score(shape, budgets[i], heads, lengths).model_macs_fraction;
      cell.cap = 1.0 / cell.macs_fraction;
    }
    set_times(cell, times[i], times.back());  // budget 1 comes last
    cells.push_back(cell);
  }
  return cells;
}

}  // namespace

std::unique_ptr<Classifier> make_classifier(const EngineRequest& request, const Budget& budget) {
  require_supported("--device", request.device, {"cpu"});
  return std::make_unique<NativeClassifier>(request, budget);
}

std::vector<BudgetScore> score_model(const EngineRequest& request, const std::string& data,
                                     const std::filesystem::path& data_dir,
                                     const std::vector<double>& budgets) {
  require_supported("--device", request.device, {"cpu"});
  const auto model = load_native(request.model, request.precision);
  check_budgets(*model, budgets);
  const EncodedDataset rows = eval_rows_of(*model, data, data_dir);
  SilentProgress silent;
  std::vector<BudgetScore> scores;
  for (const BudgetAnswers& at :
       answer_rows(model, rows, budgets, thread_count(request.threads), silent)) {
    scores.push_back(at.score);
  }
  return scores;
}

std::vector<BenchCell> bench_model(const std::filesystem::path& path, const BenchSettings& settings,
                                   ProgressSink& progress) {
  require_supported("--device", settings.device, {"cpu"});
  std::vector<BenchCell> cells;
  ProgressUpdate update = bench_progress(settings);
  for (const std::string& precision : settings.precisions) {
    const auto model = load_native(path, precision);
    check_lengths(settings.tokens, model->config().shape);
    WorkerPool pool(model, settings.threads);
    for (const int64_t tokens : settings.tokens) {
      for (const int64_t batch : settings.batches) {
        if (interrupt_requested()) throw Error(ErrorCode::interrupted, "bench", "stopped");
        for (BenchCell& cell : bench_cells(model, pool, precision, batch, tokens, settings)) {
          cells.push_back(std::move(cell));
        }
        ++update.done;
        progress.update(update);
      }
    }
  }
  return cells;
}

}  // namespace headroom
