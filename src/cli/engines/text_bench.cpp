#include "cli/engines/text_bench.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "base/interrupt.h"
#include "base/measure/interleaved.h"
#include "base/precision.h"
#include "budget/cost.h"
#include "cli/engines/native_scoring.h"
#include "data/input/input_stream.h"
#include "data/input/line_reader.h"
#include "engine/session.h"

namespace headroom {
namespace {

std::vector<std::string> read_some_lines(const std::string& file) {
  InputStream stream(file);
  LineReader reader(stream);
  std::vector<std::string> lines;
  for (std::string line; lines.size() < most_benched_texts && reader.next(line);) {
    lines.push_back(line);
  }
  if (lines.empty()) stream.fail("holds no text");
  return lines;
}

std::vector<Text> texts_of(const std::vector<std::string>& lines, Task task) {
  std::vector<Text> texts;
  for (const std::string_view line : lines) {
    const size_t tab = traits(task).pairs ? line.find('\t') : line.npos;
    texts.push_back(tab == line.npos ? Text{line}
                                     : Text{line.substr(0, tab), line.substr(tab + 1)});
  }
  return texts;
}

std::vector<Answer> run_batches(Session& session, std::span<const Text> texts, size_t batch,
                                const Budget& budget) {
  if (interrupt_requested()) throw Error(ErrorCode::interrupted, "bench", "stopped");
  std::vector<Answer> answers;
  for (size_t begin = 0; begin < texts.size(); begin += batch) {
    auto some = session.run(texts.subspan(begin, std::min(batch, texts.size() - begin)), budget);
    std::move(some.begin(), some.end(), std::back_inserter(answers));
  }
  return answers;
}

// Whole-model MACs over dense of what these answers took, and the mean of their budgets.
void set_spent(BenchCell& cell, const EngineModel& model, const std::vector<Answer>& answers) {
  const ModelConfig& config = model.config();
  double spent = 0;
  double fraction = 0;
  for (const Answer& answer : answers) {
    spent += answer.budget;
    const std::vector<double> rungs =
        answer.rungs.empty() ? std::vector<double>{answer.budget} : answer.rungs;
    for (const double rung : rungs) {
      if (rung == 0) {
        fraction += model.policy().rung_zero->macs(cell.tokens) /
                    dense_cost(config.shape, cell.tokens).model_macs;
        continue;
      }
      BenchCell at = cell;
      set_cost(at, config.shape, config.selection(rung));
      fraction += at.macs_fraction;
    }
  }
  const auto count = static_cast<double>(answers.size());
  cell.budget = spent / count;
  cell.macs_fraction = fraction / count;
  cell.cap = 1 / cell.macs_fraction;
}

// All budgets of one precision and batch size, in the same rounds.
std::vector<BenchCell> bench_batches(Session& session, const std::string& precision,
                                     std::span<const Text> texts, int64_t batch,
                                     const std::vector<Budget>& budgets,
                                     const BenchSettings& settings) {
  const auto size = std::min(static_cast<size_t>(batch), texts.size());
  std::vector<std::function<void()>> runs;
  for (const Budget& budget : budgets) {
    runs.emplace_back(
        [&session, texts, size, &budget] { run_batches(session, texts, size, budget); });
  }
  auto times = time_interleaved(runs, settings.warmup, settings.rounds, settings.seed);
  const double batches = static_cast<double>(texts.size()) / static_cast<double>(size);
  for (std::vector<double>& each : times) {
    for (double& time : each) time /= batches;
  }
  std::vector<BenchCell> cells;
  for (size_t i = 0; i < budgets.size(); ++i) {
    const std::vector<Answer> answers = run_batches(session, texts, size, budgets[i]);
    int64_t tokens = 0;
    for (const Answer& answer : answers) tokens += answer.tokens;
    const auto count = static_cast<int64_t>(answers.size());
    BenchCell cell;
    cell.engine = "native";
    cell.precision = precision;
    cell.automatic = budgets[i].automatic;
    cell.batch = static_cast<int64_t>(size);
    cell.tokens = (tokens + count / 2) / count;
    cell.threads = settings.threads;
    set_spent(cell, session.model(), answers);
    set_times(cell, times[i], times.back());  // budget 1 comes last
    cells.push_back(cell);
  }
  return cells;
}

}  // namespace

std::vector<BenchCell> bench_texts(const std::filesystem::path& model, const ModelConfig& config,
                                   const BenchSettings& settings, std::vector<Budget> budgets,
                                   const std::string& file, ProgressSink& progress) {
  const std::vector<std::string> lines = read_some_lines(file);
  const std::vector<Text> texts = texts_of(lines, config.task);
  std::erase_if(budgets, [](const Budget& each) { return !each.automatic && each.fraction == 1; });
  budgets.push_back({});
  ProgressUpdate update;
  update.stage = "bench";
  update.unit = "cells";
  update.total = static_cast<int64_t>(settings.precisions.size() * settings.batches.size());
  std::vector<BenchCell> cells;
  for (const std::string& precision : settings.precisions) {
    Session session(EngineModel::load(model, config, {precision_table.parse(precision), {}}),
                    settings.threads);
    for (const Budget& budget : budgets) require_budget(session, budget);
    for (const int64_t batch : settings.batches) {
      for (BenchCell& cell : bench_batches(session, precision, texts, batch, budgets, settings)) {
        cells.push_back(std::move(cell));
      }
      ++update.done;
      progress.update(update);
    }
  }
  return cells;
}

}  // namespace headroom
