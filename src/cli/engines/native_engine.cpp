// The verbs' engine in headroom: our own, without libtorch.
#include <fmt/format.h>

#include <functional>
#include <memory>

#include "base/interrupt.h"
#include "base/measure/interleaved.h"
#include "base/precision.h"
#include "checkpoint/precision_file.h"
#include "cli/app.h"
#include "cli/engines/engine.h"
#include "cli/engines/native_measures.h"
#include "cli/engines/native_model.h"
#include "cli/engines/native_scoring.h"
#include "engine/answers/answer_texts.h"
#include "engine/options.h"
#include "engine/session.h"

namespace headroom {
namespace {

// All budgets of one precision, batch size and length, in the same rounds.
std::vector<BenchCell> bench_cells(Session& session, const std::string& precision, int64_t batch,
                                   int64_t tokens, const BenchSettings& settings) {
  const ModelConfig& config = session.model().config();
  const ModelShape& shape = config.shape;
  const std::vector<Tokens> inputs = random_batch(shape, batch, tokens, settings.seed);
  const std::vector<double> budgets = benched_budgets(settings.budgets);
  std::vector<std::function<void()>> runs;
  runs.reserve(budgets.size());
  for (const double budget : budgets) {
    runs.emplace_back([&, budget] { session.run(inputs, Budget{budget}); });
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
    set_cost(cell, shape, config.selection(budgets[i]));
    if (config.adaptive()) {  // what these inputs chose, not the most they might
      const std::vector<int64_t> heads = heads_of(session.run(inputs, Budget{budgets[i]}), shape);
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

void require_task(Task task, const std::string& engine) {
  const bool torch_only = task == Task::image || task == Task::lm || task == Task::translate;
  if (torch_only && engine.empty()) throw NeedsTraining();
}

Precision asked_precision(const std::filesystem::path& model, const ModelConfig& config,
                          const std::optional<Precision>& asked) {
  if (asked) return *asked;
  const Precision chosen = chosen_precision(model, config);
  if (chosen != Precision::fp32) {
    fmt::print(stderr, "headroom: precision {}, as calibrate chose; --precision says otherwise\n",
               precision_table.name(chosen));
  }
  return chosen;
}

TextEngine open_text_engine(const EngineRequest& request, const ModelConfig& config,
                            const Budget& budget) {
  require_supported("--device", request.device, {"cpu"});
  const int threads = thread_count(request.threads);
  EngineOptions options{request.precision};
  options.packed_cache = request.packed_cache;
  const auto session = std::make_shared<Session>(
      EngineModel::load(request.model, config, options), threads,
      find_text_latencies(request.model, request.precision), /*splits_calls=*/false);
  if (budget.latency_ms && !session->table()) {
    throw Error(ErrorCode::usage, "predict",
                fmt::format("--latency-ms needs this machine's table: run headroom calibrate "
                            "--model {}; with --precision {} it measures that one alone",
                            request.model.string(), precision_table.name(request.precision)));
  }
  require_budget(*session, budget);  // told before any text
  check_options(config, request.answer);
  for (const std::string& note : {session->model().policy().note, session->model().packed_note()}) {
    if (!note.empty()) fmt::print(stderr, "note: {}\n", note);
  }
  // Brings the weights into memory, so that the first text takes no longer than the others.
  const Tokens input{std::vector<int32_t>(4, 0)};
  session->run(std::span(&input, 1), Budget{});
  return {threads, Session::batch,
          [session, budget, answer = request.answer](std::span<const Text> texts) {
            return answer_texts(*session, texts, {&budget, 1}, answer);
          }};
}

std::vector<BudgetScore> score_model(const EngineRequest& request, const ModelConfig& config,
                                     const std::string& data, const std::filesystem::path& data_dir,
                                     const std::vector<Budget>& budgets) {
  require_supported("--device", request.device, {"cpu"});
  Session session(EngineModel::load(request.model, config, {request.precision, {}}),
                  thread_count(request.threads));
  require_budgets(session, budgets);
  const EncodedDataset rows = eval_rows_of(session.model(), data, data_dir);
  SilentProgress silent;
  if (!classifies_text(config.task)) return measure_rows(session, rows, budgets, silent);
  std::vector<BudgetScore> scores;
  for (const report::BudgetAnswers& at : answer_rows(session, rows, budgets, silent)) {
    scores.push_back(at.score);
  }
  return scores;
}

std::vector<BenchCell> bench_model(const std::filesystem::path& path, const ModelConfig& config,
                                   const BenchSettings& settings, ProgressSink& progress) {
  require_supported("--device", settings.device, {"cpu"});
  check_lengths(settings.tokens, config.shape);
  std::vector<BenchCell> cells;
  ProgressUpdate update = bench_progress(settings);
  for (const std::string& precision : settings.precisions) {
    Session session(EngineModel::load(path, config, {precision_table.parse(precision), {}}),
                    settings.threads);
    for (const int64_t tokens : settings.tokens) {
      for (const int64_t batch : settings.batches) {
        if (interrupt_requested()) throw Error(ErrorCode::interrupted, "bench", "stopped");
        for (BenchCell& cell : bench_cells(session, precision, batch, tokens, settings)) {
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
